//! `cmd.exe` and PowerShell, by themselves and inside a POSIX line.

use hermes_approval::{AnalysisEnv, Decision, Platform, analyse, assess, cmdlet};

use crate::support::{check_last, env, lines};

fn on(platform: Platform, text: &str) -> Vec<String> {
    lines(&analyse(text, &env(), platform))
}

#[test]
fn lines_of_cmd_are_split_into_commands() {
    let table: &[(&str, &[&str])] = &[
        ("del /f /s C:\\x", &["del /f /s C:\\x"]),
        (
            "dir & del a && rd b || echo c",
            &["dir", "del a", "rd b", "echo c"],
        ),
        ("d^el a", &["del a"]),
        (
            "del \"C:\\Program Files\\a & b\"",
            &["del C:\\Program Files\\a & b"],
        ),
        ("del/f/q a", &["del /f/q a"]),
        ("if exist a rd /s b", &["rd /s b"]),
        ("for %i in (*.txt) do del %i", &["for %i in", "del %i"]),
        ("del %USERPROFILE%\\a %X%\\b", &["del /home/agent\\a ?\\b"]),
        (
            "for /f %i in ('dir /b') do @echo %i",
            &["for /f %i in", "dir /b", "echo %i"],
        ),
        (
            "for /l %i in (1,1,5) do echo %i",
            &["for /l %i in", "echo %i"],
        ),
        ("if exist a (type a) else (del a)", &["type a", "del a"]),
        ("if not errorlevel 1 del a", &["del a"]),
        ("if /i \"%a%\" == \"b\" del a", &["del a"]),
        ("@echo off & rem del a", &["echo off"]),
        (":: del a", &[]),
        ("type a | find \"x\" > b", &["type a", "find x"]),
        (
            "cmd /c \"rd /s /q C:\\\"",
            &["cmd /c rd /s /q C:\\", "rd /s /q C:\\"],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(&on(Platform::Cmd, text), expected, "{text}");
    }
}

#[test]
fn lines_of_powershell_are_split_into_commands() {
    let table: &[(&str, &[&str])] = &[
        (
            "Remove-Item -Recurse -Force C:\\x",
            &["Remove-Item -Recurse -Force C:\\x"],
        ),
        (
            "Get-ChildItem | Remove-Item -Recurse; ls",
            &["Get-ChildItem", "Remove-Item -Recurse", "ls"],
        ),
        ("Remove`-Item 'a''b' \"c`\"d\"", &["Remove-Item a'b c\"d"]),
        ("Remove-Item -Path:C:\\x", &["Remove-Item -Path C:\\x"]),
        ("$x = Remove-Item a # b", &["Remove-Item a"]),
        ("if ($true) { ri a }", &["if", "$true", "ri a"]),
        ("Remove-Item $home\\a $x", &["Remove-Item /home/agent\\a ?"]),
        ("& 'C:\\a b.exe' x", &["C:\\a b.exe x"]),
        ("iex 'ri a'", &["iex ri a", "ri a"]),
        ("$x", &["$x"]),
        ("& $x a", &["? a"]),
        (". $x", &["?"]),
        ("& (gcm ri) a", &["?", "gcm ri", "a"]),
        ("[Math]::Pow(2, 10)", &["[Math]::Pow(", "2 10"]),
        ("$x=ri a", &["ri a"]),
        ("@{n='a';e={ri a}}", &["@", "'a'", "ri a"]),
        ("\"a $(ri b) c\"", &["\"a $(ri b) c\"", "ri b"]),
        (
            "foreach ($f in ls *.md) { ri $f }",
            &["foreach", "ls *.md", "ri ?"],
        ),
        ("if ($a) { ls } else { ri a }", &["if", "$a", "ls", "ri a"]),
    ];
    for (text, expected) in table {
        let found: Vec<String> = on(Platform::PowerShell, text)
            .into_iter()
            .filter(|l| l != "true")
            .collect();
        assert_eq!(&found, expected, "{text}");
    }
    assert_eq!(cmdlet("ri"), Some("Remove-Item"));
    assert_eq!(cmdlet("REMOVE-ITEM"), Some("Remove-Item"));
    assert_eq!(cmdlet("cargo"), None);
}

#[test]
fn windows_shells_inside_a_posix_line_are_read() {
    check_last(&[
        ("cmd /c del a.txt", "del a.txt"),
        ("cmd.exe /c 'rd /s /q C:\\x'", "rd /s /q C:\\x"),
        (
            "powershell -NoProfile -Command \"Remove-Item -Recurse a\"",
            "Remove-Item -Recurse a",
        ),
        ("pwsh -c 'Get-Item a | ri'", "ri"),
        (
            "powershell -ExecutionPolicy Bypass Remove-Item a",
            "Remove-Item a",
        ),
        (
            "powershell -enc UgBlAG0AbwB2AGUALQBJAHQAZQBtACAAYQA=",
            "Remove-Item a",
        ),
    ]);
}

#[test]
fn expressions_pass_and_commands_in_blocks_are_judged() {
    let decision =
        |text: &str, platform| assess(text, &AnalysisEnv::new("/home/agent"), platform).decision;
    let table = [
        (
            "if ($true) { Remove-Item -Recurse -Force C:\\ }",
            Decision::Block,
        ),
        (
            "foreach ($f in ls) { Remove-Item -Recurse $f }",
            Decision::Ask,
        ),
        ("\"$(Remove-Item -Recurse -Force C:\\)\"", Decision::Block),
        ("& $x", Decision::Ask),
        (". $x", Decision::Ask),
        ("iex $x", Decision::Ask),
        ("& (Get-Command ri) -Recurse a", Decision::Ask),
        ("[IO.File]::Delete('a.db')", Decision::Ask),
        ("$env:PATH -split ';'", Decision::Allow),
        ("$env:A = 'b'; npm start", Decision::Allow),
        ("[guid]::NewGuid()", Decision::Allow),
        ("if ($?) { npm test } else { 'no' }", Decision::Allow),
    ];
    for (text, expected) in table {
        assert_eq!(decision(text, Platform::PowerShell), expected, "{text}");
        if text == ". $x" {
            // A POSIX shell reads a file there, which has rules of its own.
            continue;
        }
        // Nobody said which shell it is for.
        let told = decision(text, Platform::Posix);
        assert!(
            told == expected || expected == Decision::Block && told != Decision::Allow,
            "{text}: {told:?}"
        );
    }
    let cmd = [
        (
            "if exist C:\\ (rd /s /q C:\\) else (echo x)",
            Decision::Block,
        ),
        ("for /f %i in ('rd /s /q C:\\') do echo x", Decision::Block),
        ("for %i in (*.txt) do del %i", Decision::Ask),
        ("del notes.txt", Decision::Allow),
        ("taskkill /pid 4321", Decision::Allow),
    ];
    for (text, expected) in cmd {
        assert_eq!(decision(text, Platform::Cmd), expected, "{text}");
    }
    // What a POSIX shell would run stays asked, whatever stands beside it.
    for text in [
        "$CMD -rf src; Get-ChildItem",
        "Get-ChildItem; \"$(cat x)\" a",
        "$x; if ($?) { ls }",
    ] {
        assert_eq!(decision(text, Platform::Posix), Decision::Ask, "{text}");
    }
}
