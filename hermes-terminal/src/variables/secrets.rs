//! Names of variables that hold what a command has no business with.

/// Who gives credentials to an agent: model providers, and the services that its own tools and
/// messengers use. Their variables begin so.
const HOLDERS: &[&str] = &[
    "AI21",
    "AI_GATEWAY",
    "ALIBABA",
    "ALIBABA_CODING_PLAN",
    "ANTHROPIC",
    "ARCEE",
    "ARCEEAI",
    "AZURE",
    "AZURE_FOUNDRY",
    "AZURE_OPENAI",
    "BAICHUAN",
    "BASETEN",
    "BEDROCK",
    "BLUEBUBBLES",
    "BRAVE_SEARCH",
    "BROWSERBASE",
    "BROWSER_USE",
    "BRV",
    "CAMOFOX",
    "CEREBRAS",
    "CLAUDE",
    "CLAUDE_CODE",
    "CO",
    "COHERE",
    "COPILOT",
    "COPILOT_GITHUB",
    "DASHSCOPE",
    "DAYTONA",
    "DEEPGRAM",
    "DEEPINFRA",
    "DEEPSEEK",
    "DINGTALK",
    "DISCORD",
    "DISCORD_BOT",
    "ELEVENLABS",
    "EMAIL",
    "EXA",
    "FAL",
    "FEISHU",
    "FIRECRAWL",
    "FIREWORKS",
    "GATEWAY_RELAY",
    "GEMINI",
    "GH",
    "GITHUB",
    "GLM",
    "GMI",
    "GOOGLE",
    "GOOGLE_GENAI",
    "GROQ",
    "HASS",
    "HELICONE",
    "HF",
    "HINDSIGHT",
    "HOMEASSISTANT",
    "HONCHO",
    "HUGGINGFACE",
    "HUGGINGFACEHUB",
    "HUGGING_FACE_HUB",
    "HYPERBOLIC",
    "IRC",
    "IRC_NICKSERV",
    "IRC_SERVER",
    "KILOCODE",
    "KIMI",
    "KIMI_CN",
    "KIMI_CODING",
    "KREA",
    "LANGFUSE",
    "LINE",
    "LINE_CHANNEL",
    "LITELLM",
    "LM",
    "LMSTUDIO",
    "MATRIX",
    "MATTERMOST",
    "MEM0",
    "MINIMAX",
    "MINIMAX_CN",
    "MISTRAL",
    "MODAL",
    "MODELSCOPE",
    "MOONSHOT",
    "NEBIUS",
    "NOUS",
    "NOVITA",
    "NTFY",
    "NVIDIA",
    "OLLAMA",
    "OPENAI",
    "OPENCODE_GO",
    "OPENCODE_ZEN",
    "OPENROUTER",
    "OPENVIKING",
    "PARALLEL",
    "PERPLEXITY",
    "PHOTON",
    "PPLX",
    "QIANFAN",
    "QQ",
    "QWEN",
    "REPLICATE",
    "RETAINDB",
    "SAMBANOVA",
    "SIGNAL",
    "SILICONFLOW",
    "SLACK",
    "SLACK_APP",
    "SLACK_BOT",
    "STEPFUN",
    "SUPERMEMORY",
    "TAVILY",
    "TEAMS",
    "TELEGRAM",
    "TELEGRAM_BOT",
    "TINKER",
    "TOGETHER",
    "TOGETHERAI",
    "TOKENHUB",
    "TOOL_GATEWAY",
    "TOOL_GATEWAY_USER",
    "TWILIO",
    "UPSTAGE",
    "VENICE",
    "VERCEL_AI_GATEWAY",
    "VERTEX",
    "VOICE_TOOLS_OPENAI",
    "VOLCENGINE",
    "WANDB",
    "WECOM",
    "WECOM_CALLBACK",
    "WEIXIN",
    "WHATSAPP",
    "XAI",
    "XIAOMI",
    "YUANBAO",
    "ZAI",
    "ZHIPU",
    "ZHIPUAI",
    "Z_AI",
];

/// What the credential is called behind the holder's name.
const CREDENTIALS: &[&str] = &[
    "ACCESS_KEY",
    "ACCESS_TOKEN",
    "ACCOUNT_SID",
    "ADMIN_KEY",
    "APIKEY",
    "API_KEY",
    "API_KEYS",
    "API_SECRET",
    "API_TOKEN",
    "APPLICATION_CREDENTIALS",
    "APP_PRIVATE_KEY",
    "APP_PRIVATE_KEY_PATH",
    "APP_SECRET",
    "APP_TOKEN",
    "AUTH_KEY",
    "AUTH_TOKEN",
    "BEARER_TOKEN",
    "BOT_TOKEN",
    "CLIENT_SECRET",
    "CORP_SECRET",
    "CREDENTIALS",
    "CREDENTIALS_PATH",
    "DELIVERY_KEY",
    "ENCODING_AES_KEY",
    "ENCRYPT_KEY",
    "KEY",
    "OAUTH_TOKEN",
    "PASSWORD",
    "PAT",
    "PRIVATE_KEY",
    "PROJECT_KEY",
    "PROJECT_SECRET",
    "RECOVERY_KEY",
    "REFRESH_TOKEN",
    "SECRET",
    "SECRET_KEY",
    "SERVICE_ACCOUNT_JSON",
    "SETUP_TOKEN",
    "SIGNING_SECRET",
    "TOKEN",
    "TOKEN_ID",
    "TOKEN_SECRET",
    "VERIFICATION_TOKEN",
    "WEBHOOK_SECRET",
    "WEBHOOK_URL",
];

/// Names that are not made that way.
const OTHERS: &[&str] = &[
    "AWS_BEARER_TOKEN_BEDROCK",
    "GATEWAY_PROXY_KEY",
    "GOOGLE_CHAT_SERVICE_ACCOUNT_JSON",
    "SUDO_PASSWORD",
    "API_SERVER_KEY",
    "WEBHOOK_SECRET",
];

/// Everything of Hermes' own that sounds like a secret.
const OWN: &[&str] = &["HERMES_", "_HERMES_", "TERMINAL_", "AUXILIARY_"];

const SOUNDS_SECRET: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "CREDENTIALS",
];

pub(super) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if OTHERS.contains(&name.as_str()) {
        return true;
    }
    if OWN.iter().any(|prefix| name.starts_with(prefix)) {
        return SOUNDS_SECRET.iter().any(|word| {
            name.split('_')
                .any(|part| part.trim_end_matches('S') == word.trim_end_matches('S'))
        });
    }
    CREDENTIALS.iter().any(|credential| {
        name.strip_suffix(credential)
            .and_then(|rest| rest.strip_suffix('_'))
            .is_some_and(|holder| HOLDERS.contains(&holder))
    })
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn credentials_of_providers_and_of_hermes_are_secrets() {
        for name in [
            "OPENAI_API_KEY",
            "openai_api_key",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "HF_TOKEN",
            "AWS_BEARER_TOKEN_BEDROCK",
            "SUDO_PASSWORD",
            "TELEGRAM_BOT_TOKEN",
            "MODAL_TOKEN_ID",
            "HERMES_GATEWAY_TOKEN",
            "HERMES_API_KEYS",
            "AUXILIARY_VISION_API_KEY",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    /// The credentials among what Hermes Agent 0.19.0 keeps from its children.
    const RECORDED: &str = "\
        ALIBABA_CODING_PLAN_API_KEY ANTHROPIC_API_KEY ANTHROPIC_TOKEN API_SERVER_KEY \
        ARCEEAI_API_KEY AWS_BEARER_TOKEN_BEDROCK AZURE_FOUNDRY_API_KEY BLUEBUBBLES_PASSWORD \
        BRAVE_SEARCH_API_KEY BROWSERBASE_API_KEY BROWSER_USE_API_KEY BRV_API_KEY \
        CAMOFOX_API_KEY COHERE_API_KEY COPILOT_GITHUB_TOKEN DASHSCOPE_API_KEY DAYTONA_API_KEY \
        DEEPINFRA_API_KEY DEEPSEEK_API_KEY DINGTALK_CLIENT_SECRET DINGTALK_WEBHOOK_URL \
        DISCORD_BOT_TOKEN ELEVENLABS_API_KEY EMAIL_PASSWORD EXA_API_KEY FAL_KEY \
        FEISHU_APP_SECRET FIRECRAWL_API_KEY FIREWORKS_API_KEY GATEWAY_PROXY_KEY \
        GATEWAY_RELAY_DELIVERY_KEY GATEWAY_RELAY_SECRET GEMINI_API_KEY GH_TOKEN \
        GITHUB_APP_PRIVATE_KEY_PATH GITHUB_TOKEN GLM_API_KEY GMI_API_KEY GOOGLE_API_KEY \
        GOOGLE_APPLICATION_CREDENTIALS GOOGLE_CHAT_SERVICE_ACCOUNT_JSON GROQ_API_KEY HASS_TOKEN \
        HELICONE_API_KEY HERMES_DASHBOARD_SESSION_TOKEN HERMES_LANGFUSE_SECRET_KEY HF_TOKEN \
        HINDSIGHT_API_KEY HONCHO_API_KEY IRC_NICKSERV_PASSWORD IRC_SERVER_PASSWORD \
        KILOCODE_API_KEY KIMI_API_KEY KIMI_CN_API_KEY KIMI_CODING_API_KEY KREA_API_KEY \
        LINE_CHANNEL_ACCESS_TOKEN LINE_CHANNEL_SECRET LM_API_KEY MATRIX_ACCESS_TOKEN \
        MATRIX_PASSWORD MATRIX_RECOVERY_KEY MATTERMOST_TOKEN MEM0_API_KEY MINIMAX_API_KEY \
        MINIMAX_CN_API_KEY MISTRAL_API_KEY MODAL_TOKEN_ID MODAL_TOKEN_SECRET NOVITA_API_KEY \
        NTFY_TOKEN NVIDIA_API_KEY OLLAMA_API_KEY OPENAI_API_KEY OPENCODE_GO_API_KEY \
        OPENCODE_ZEN_API_KEY OPENROUTER_API_KEY OPENVIKING_API_KEY PARALLEL_API_KEY \
        PERPLEXITY_API_KEY PHOTON_PROJECT_SECRET QQ_CLIENT_SECRET RETAINDB_API_KEY \
        SLACK_APP_TOKEN SLACK_BOT_TOKEN STEPFUN_API_KEY SUDO_PASSWORD SUPERMEMORY_API_KEY \
        TAVILY_API_KEY TEAMS_CLIENT_SECRET TELEGRAM_BOT_TOKEN TOGETHER_API_KEY TOKENHUB_API_KEY \
        TOOL_GATEWAY_USER_TOKEN TWILIO_ACCOUNT_SID TWILIO_AUTH_TOKEN UPSTAGE_API_KEY \
        VERTEX_CREDENTIALS_PATH VOICE_TOOLS_OPENAI_KEY WEBHOOK_SECRET \
        WECOM_CALLBACK_CORP_SECRET WECOM_CALLBACK_ENCODING_AES_KEY WECOM_CALLBACK_TOKEN \
        WECOM_SECRET XAI_API_KEY XIAOMI_API_KEY ZAI_API_KEY Z_AI_API_KEY";

    #[test]
    fn what_hermes_agent_withholds_is_withheld() {
        for name in RECORDED.split_whitespace() {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn what_commands_need_is_not() {
        for name in [
            "PATH",
            "HOME",
            "HERMES_QUIET",
            "OPENAI_BASE_URL",
            "AWS_SECRET_ACCESS_KEY",
            "KEYBOARD_LAYOUT",
            "HERMES_KEYBOARD",
            "TOKEN",
            "API_KEY",
            "MY_OPENAI_API_KEY_FILE",
            "GOOGLE_CLOUD_PROJECT",
            "",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
