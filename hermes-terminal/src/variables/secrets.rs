//! Names of variables that hold what a command has no business with.

/// Who gives credentials to an agent: model providers, and the services that its own tools and
/// messengers use. Their variables begin so.
const HOLDERS: &[&str] = &[
    "AI21",
    "ALIBABA",
    "ALIBABA_CODING_PLAN",
    "ANTHROPIC",
    "ARCEE",
    "ARCEEAI",
    "AZURE_OPENAI",
    "BAICHUAN",
    "BASETEN",
    "BEDROCK",
    "BLUEBUBBLES",
    "BRAVE_SEARCH",
    "BROWSERBASE",
    "BROWSER_USE",
    "CAMOFOX",
    "CEREBRAS",
    "CLAUDE_CODE",
    "CLAUDE",
    "COHERE",
    "CO",
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
    "GEMINI",
    "GLM",
    "GMI",
    "GOOGLE",
    "GOOGLE_GENAI",
    "GROQ",
    "HASS",
    "HF",
    "HOMEASSISTANT",
    "HONCHO",
    "HUGGINGFACE",
    "HUGGING_FACE_HUB",
    "HUGGINGFACEHUB",
    "HYPERBOLIC",
    "KILOCODE",
    "KIMI",
    "KIMI_CN",
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
    "NVIDIA",
    "OLLAMA",
    "OPENAI",
    "OPENCODE_GO",
    "OPENCODE_ZEN",
    "OPENROUTER",
    "OPENVIKING",
    "PARALLEL",
    "PERPLEXITY",
    "PPLX",
    "QIANFAN",
    "QQ",
    "QWEN",
    "REPLICATE",
    "SAMBANOVA",
    "SIGNAL",
    "SILICONFLOW",
    "SLACK",
    "SLACK_APP",
    "SLACK_BOT",
    "STEPFUN",
    "SUPERMEMORY",
    "TAVILY",
    "TELEGRAM",
    "TELEGRAM_BOT",
    "TINKER",
    "TOGETHER",
    "TOGETHERAI",
    "TWILIO",
    "UPSTAGE",
    "VENICE",
    "VERCEL_AI_GATEWAY",
    "AI_GATEWAY",
    "VERTEX",
    "VOICE_TOOLS_OPENAI",
    "VOLCENGINE",
    "WANDB",
    "WECOM",
    "WEIXIN",
    "WHATSAPP",
    "XAI",
    "XIAOMI",
    "YUANBAO",
    "ZAI",
    "Z_AI",
    "ZHIPU",
    "ZHIPUAI",
];

/// What the credential is called behind the holder's name.
const CREDENTIALS: &[&str] = &[
    "ACCESS_KEY",
    "ACCESS_TOKEN",
    "ACCOUNT_SID",
    "ADMIN_KEY",
    "API_KEY",
    "API_KEYS",
    "API_SECRET",
    "API_TOKEN",
    "APIKEY",
    "APP_SECRET",
    "APP_TOKEN",
    "AUTH_KEY",
    "AUTH_TOKEN",
    "BEARER_TOKEN",
    "BOT_TOKEN",
    "CLIENT_SECRET",
    "CREDENTIALS",
    "ENCRYPT_KEY",
    "KEY",
    "OAUTH_TOKEN",
    "PASSWORD",
    "PROJECT_KEY",
    "RECOVERY_KEY",
    "REFRESH_TOKEN",
    "SECRET",
    "SECRET_KEY",
    "SETUP_TOKEN",
    "SIGNING_SECRET",
    "TOKEN",
    "TOKEN_ID",
    "TOKEN_SECRET",
    "VERIFICATION_TOKEN",
    "WEBHOOK_SECRET",
];

/// Names that are not made that way.
const OTHERS: &[&str] = &[
    "AWS_BEARER_TOKEN_BEDROCK",
    "GATEWAY_PROXY_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS_JSON",
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

    #[test]
    fn what_commands_need_is_not() {
        for name in [
            "PATH",
            "HOME",
            "HERMES_QUIET",
            "OPENAI_BASE_URL",
            "GITHUB_TOKEN",
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
