//! Words: what their value is, and what nobody can know.

use hermes_approval::{Certainty, Directory, PartKind, Quoted, Unknown};

use crate::support::{check_last, posix};

#[test]
fn quoting_is_undone() {
    check_last(&[
        ("r''m \"-r\"f '/'etc", "rm -rf /etc"),
        ("r\\m \\/", "rm /"),
        (
            "$'\\x72\\155' $'\\u002f' $'a\\'b' $'\\cA'",
            "rm / a'b \u{1}",
        ),
        ("echo $\"a b\" \"a\\\"b\\$c\\d\"", "echo a b a\"b$c\\d"),
        ("'' a", " a"),
    ]);
}

#[test]
fn variables_that_the_text_sets_are_followed() {
    check_last(&[
        ("X=rm; $X -rf /", "rm -rf /"),
        ("X='rm -rf'; $X src", "rm -rf src"),
        ("X='a b'; echo \"$X\"", "echo a b"),
        ("X=r; X+=m; $X a", "rm a"),
        ("export X=rm && ${X} a", "rm a"),
        ("a=(rm -rf src); \"${a[@]}\"", "rm -rf src"),
        ("a=(ls rm); ${a[1]} b", "rm b"),
        ("X=mr; ${X:1:1}${X:0:1} a", "rm a"),
        ("X=axm; ${X/ax/r} a", "rm a"),
        ("X=RM; ${X,,} a", "rm a"),
        ("X=rmx; ${X%x} a", "rm a"),
        ("X=a/b/rm; ${X##*/} a", "rm a"),
        ("X=Y; Y=rm; ${!X} a", "rm a"),
        ("declare -n r=X; X=rm; $r a", "rm a"),
        ("printf -v X '%s%s' r m; $X a", "rm a"),
        ("read X <<< rm; $X a", "rm a"),
        ("read -r A B <<< 'x rm y'; echo $B", "echo rm y"),
        ("set -- rm a; \"$@\"", "rm a"),
        ("set -- x rm; $2 a", "rm a"),
        ("echo ${D:-/} ${D:=x} $D", "echo / x x"),
        ("IFS=,; c=rm,a; $c", "rm a"),
        ("rm${IFS}-rf${IFS}a", "rm -rf a"),
        (
            "echo ~ ~/x ~root $HOME \"${HERMES_HOME}\"",
            "echo /home/agent /home/agent/x /root /home/agent /home/agent/.hermes",
        ),
        ("T=~/x; rm $T", "rm /home/agent/x"),
        ("X=rm; (X=ls); $X a", "rm a"),
        ("X=rm; X=ls true; $X a", "rm a"),
        ("unset X; $X rm a", "rm a"),
    ]);
}

#[test]
fn what_runs_maybe_leaves_both_values_possible() {
    check_last(&[
        ("X=ls; true && X=rm; $X a", "{ls|rm} a"),
        ("if a; then X=ls; else X=rm; fi; $X a", "{ls|rm} a"),
        ("for x in ls rm; do $x a; done", "{ls|rm} a"),
    ]);
    let analysis = posix("for x in ls rm; do $x a; done");
    assert!(
        analysis
            .invocations()
            .iter()
            .any(|i| i.is("rm") && i.is("ls"))
    );
}

#[test]
fn what_one_round_of_a_loop_sets_the_next_one_runs() {
    let analysis = posix("X=ls; while a; do $X b; X=rm; done");
    assert!(analysis.invocations().iter().any(|i| i.is("rm")));
    assert_eq!(
        posix("while a; do x=1; b; done").invocations().len(),
        3,
        "nothing new, nothing twice"
    );
}

#[test]
fn braces_give_several_words() {
    check_last(&[
        ("{rm,-rf,/}", "rm -rf /"),
        (
            "echo a{b,c}d x{1..3} {a..c} {,}",
            "echo abd acd x1 x2 x3 a b c",
        ),
        (
            "echo {a,{b,c}}d \"{a,b}\" {a} {a,\"b c\"}",
            "echo ad bd cd {a,b} {a} a b c",
        ),
        ("rm -rf /{bin,etc}", "rm -rf /bin /etc"),
    ]);
}

#[test]
fn substitutions_of_literals_are_worked_out() {
    check_last(&[
        ("$(echo rm) -rf a", "rm -rf a"),
        ("`printf rm` a", "rm a"),
        ("\"$(printf '\\x72\\x6d')\" a", "rm a"),
        ("$(echo cm0K | base64 -d) a", "rm a"),
        ("$(tr a-y b-z <<< ql) a", "rm a"),
        ("$(echo mr | rev) a", "rm a"),
        ("$(echo 726d | xxd -r -p) a", "rm a"),
        ("$(cat <<E\nrm\nE\n) a", "rm a"),
        ("X=$(echo $(echo rm)); $X a", "rm a"),
        ("$(printf '%s%s' r m) a", "rm a"),
        ("$(echo r; echo m) a", "r m a"),
        ("$(command -v rm) a", "rm a"),
    ]);
}

#[test]
fn patterns_against_well_known_files_have_alternatives() {
    for (text, file) in [
        ("cat /e*c/p?sswd", "/etc/passwd"),
        ("rm -rf /u[s]r", "/usr"),
        ("rm -rf /??*", "/etc"),
    ] {
        let analysis = posix(text);
        let last = analysis.invocations()[0].argv.last().unwrap().clone();
        assert!(
            last.alternatives().iter().any(|a| a == file),
            "{text}: {:?}",
            last.alternatives()
        );
        assert!(last.has_glob());
    }
    assert!(posix("/b?n/r? -rf src").invocations()[0].is("rm"));
    assert!(
        posix("ls /*").invocations()[0].argv[1]
            .alternatives()
            .is_empty()
    );
}

#[test]
fn what_cannot_be_known_says_why() {
    let analysis = posix("rm -rf $UNSET/* $(cat l) $1 $$ <(a)");
    let rm = analysis.invocations().iter().find(|i| i.is("rm")).unwrap();
    let reasons: Vec<Option<&Unknown>> = rm
        .argv
        .iter()
        .skip(2)
        .map(|word| word.unknowns().next())
        .collect();
    assert_eq!(reasons[0], Some(&Unknown::Variable("UNSET".into())));
    let Some(Unknown::Command(id)) = reasons[1] else {
        panic!("{reasons:?}")
    };
    assert!(analysis.inside(*id)[0].is("cat"));
    assert_eq!(
        &reasons[2..4],
        &[Some(&Unknown::Positional), Some(&Unknown::Special('$'))]
    );
    assert!(matches!(reasons[4], Some(Unknown::Process(_))));
    let path = &rm.argv[2];
    assert_eq!(
        (path.certainty, path.text(), path.known_prefix()),
        (Certainty::Partial, "/*", "")
    );
    assert!(path.parts().iter().any(|part| part.kind == PartKind::Glob));
}

#[test]
fn words_know_their_quoting_their_raw_form_and_their_place() {
    let text = "a 'b c' d\"e\" f";
    let analysis = posix(text);
    let argv = &analysis.invocations()[0].argv;
    let found: Vec<_> = argv
        .iter()
        .map(|w| (w.raw(), w.text(), w.quoted, w.span.of(text)))
        .collect();
    assert_eq!(
        found,
        [
            ("a", "a", Quoted::None, "a"),
            ("'b c'", "b c", Quoted::All, "'b c'"),
            ("d\"e\"", "de", Quoted::Some, "d\"e\""),
            ("f", "f", Quoted::None, "f"),
        ]
    );
}

#[test]
fn the_directory_is_followed() {
    let directory = |text: &str| posix(text).invocations().last().unwrap().directory.clone();
    assert_eq!(directory("rm x"), Directory::Start);
    assert_eq!(directory("cd / && rm -rf *"), Directory::Known("/".into()));
    assert_eq!(
        directory("cd /srv; cd app; rm x"),
        Directory::Known("/srv/app".into())
    );
    assert_eq!(
        directory("cd; rm x"),
        Directory::Known("/home/agent".into())
    );
    assert_eq!(directory("cd $X; rm x"), Directory::Unknown);
    assert_eq!(directory("(cd /); rm x"), Directory::Start);
}

#[test]
fn variables_that_grow_are_given_up() {
    let text = format!("x=aaaaaaaa;{} $x rm", "x=$x$x;".repeat(60));
    let analysis = posix(&text);
    assert!(
        analysis
            .invocations()
            .iter()
            .all(|i| i.argv.iter().all(|word| word.text().len() < 100_000))
    );
}
