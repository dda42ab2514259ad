//! The table of calls that act on files, processes or the network.

use super::calls::{Call, Does, c, common, method, on};
use crate::effect::EffectKind;

use Does::{Argv, Evaluate, OpenFile, Shell};
const DELETE: Does = Does::Effect(EffectKind::Delete);
const TREE: Does = Does::Effect(EffectKind::DeleteTree);
const WRITE: Does = Does::Effect(EffectKind::Write);
const READ: Does = Does::Effect(EffectKind::Read);
const MOVE: Does = Does::Effect(EffectKind::Move);
const MODE: Does = Does::Effect(EffectKind::Permissions);
const NETWORK: Does = Does::Effect(EffectKind::Network);
const SIGNAL: Does = Does::Effect(EffectKind::Signal);

#[rustfmt::skip]
pub(super) const CALLS: &[Call] = &[
    // Python
    c("P", "system", "", Shell), c("P", "popen", "", Shell), c("P", "getoutput", "", Shell),
    c("P", "getstatusoutput", "", Shell), c("P", "check_call", "", Argv), c("P", "check_output", "", Argv),
    c("P", "Popen", "", Argv), common("P", "run", "", Argv), common("P", "call", "", Argv),
    c("P", "execv", "", Argv), c("P", "execvp", "", Argv), c("P", "execve", "", Argv), c("P", "execl", "", Argv),
    c("P", "execlp", "", Argv), c("P", "spawnl", "", Argv), c("P", "spawnv", "", Argv), c("P", "spawnvp", "", Argv),
    c("P", "create_subprocess_shell", "", Shell), c("P", "create_subprocess_exec", "", Argv),
    c("P", "spawn", "pty", Argv), c("P", "spawnvpe", "", Argv), c("P", "spawnlp", "", Argv), c("P", "spawnve", "", Argv),
    c("P", "execvpe", "", Argv), c("P", "execle", "", Argv), c("P", "posix_spawn", "", Argv),
    c("P", "posix_spawnp", "", Argv), c("P", "remove_tree", "", TREE),
    c("P", "remove_path", "", TREE), common("P", "send2trash", "", TREE), c("P", "ftruncate", "os", WRITE),
    c("P", "lchown", "os", MODE), c("P", "lchmod", "os", MODE), common("P", "chmod", "", MODE),
    c("P", "rmtree", "", TREE), c("P", "removedirs", "", TREE), c("P", "remove", "os", DELETE),
    common("P", "remove", "", DELETE), c("P", "unlink", "", DELETE),
    c("P", "rmdir", "", DELETE), method("P", "write_text", WRITE),
    method("P", "write_bytes", WRITE), method("P", "read_text", READ), method("P", "read_bytes", READ),
    method("P", "touch", WRITE), common("P", "truncate", "os", WRITE), common("P", "open", "", OpenFile),
    c("P", "rename", "os", MOVE), c("P", "replace", "os", MOVE), c("P", "move", "shutil", MOVE),
    common("P", "copy", "shutil", WRITE), common("P", "copyfile", "shutil", WRITE), c("P", "chmod", "os", MODE),
    c("P", "chown", "os", MODE), c("P", "kill", "os", SIGNAL), c("P", "killpg", "os", SIGNAL),
    c("P", "eval", "", Evaluate), c("P", "exec", "", Evaluate), common("P", "urlopen", "", NETWORK),
    common("P", "urlretrieve", "", NETWORK), common("P", "get", "requests", NETWORK),
    common("P", "post", "requests", NETWORK), c("P", "connect", "socket", NETWORK), c("P", "socket", "socket", NETWORK),
    // JavaScript
    c("J", "execSync", "", Shell), common("J", "exec", "", Shell), c("J", "spawnSync", "", Argv),
    c("J", "spawn", "", Argv), c("J", "execFile", "", Argv), c("J", "execFileSync", "", Argv),
    c("J", "rmSync", "", TREE), c("J", "rm", "", TREE), c("J", "rmdirSync", "", TREE), c("J", "rmdir", "", DELETE),
    c("J", "unlinkSync", "", DELETE), c("J", "unlink", "", DELETE), c("J", "removeSync", "", TREE),
    common("J", "remove", "", TREE), c("J", "rimraf", "", TREE), c("J", "writeFileSync", "", WRITE),
    c("J", "writeFile", "", WRITE), c("J", "appendFileSync", "", WRITE), c("J", "appendFile", "", WRITE),
    c("J", "truncateSync", "", WRITE), c("J", "writeTextFileSync", "", WRITE), c("J", "writeTextFile", "", WRITE),
    common("J", "readFileSync", "", READ), common("J", "readFile", "", READ), c("J", "renameSync", "", MOVE),
    c("J", "chmodSync", "", MODE), c("J", "eval", "", Evaluate), c("J", "Function", "", Evaluate),
    c("J", "kill", "process", SIGNAL), common("J", "fetch", "", NETWORK), c("J", "Command", "Deno", Argv),
    common("J", "run", "Deno", Argv), c("J", "remove", "Deno", TREE), common("J", "execa", "", Argv),
    common("J", "execaSync", "", Argv), common("J", "execaCommand", "", Shell), common("J", "execaCommandSync", "", Shell),
    common("J", "fork", "", Argv), common("J", "$", "", Shell), c("J", "emptyDirSync", "", TREE), c("J", "emptyDir", "", TREE),
    c("J", "rimrafSync", "", TREE), c("J", "deleteSync", "del", TREE), c("J", "deleteAsync", "del", TREE),
    c("J", "chownSync", "", MODE), common("J", "chmod", "fs", MODE), common("J", "chown", "fs", MODE),
    c("J", "ftruncateSync", "", WRITE), common("J", "truncate", "fs", WRITE), common("J", "rename", "fs", MOVE),
    common("J", "copyFileSync", "", WRITE), common("J", "cpSync", "", WRITE), c("J", "moveSync", "", MOVE),
    c("J", "runInNewContext", "", Evaluate), c("J", "runInThisContext", "", Evaluate),
    // Perl
    c("L", "system", "", Shell), c("L", "exec", "", Shell), c("L", "unlink", "", DELETE), c("L", "rmtree", "", TREE),
    c("L", "remove_tree", "", TREE), c("L", "rmdir", "", DELETE), c("L", "rename", "", MOVE), c("L", "chmod", "", MODE),
    c("L", "chown", "", MODE), c("L", "kill", "", SIGNAL), common("L", "open", "", OpenFile), c("L", "truncate", "", WRITE),
    common("L", "eval", "", Evaluate), c("L", "readpipe", "", Shell), common("L", "shell", "", Shell),
    common("L", "run", "", Argv), common("L", "EVAL", "", Evaluate), common("L", "move", "", MOVE), common("L", "spurt", "", WRITE),
    // Ruby
    c("R", "system", "", Shell), c("R", "exec", "", Shell), common("R", "spawn", "", Shell), common("R", "popen", "", Shell),
    common("R", "capture2", "", Shell), common("R", "capture2e", "", Shell), common("R", "capture3", "", Shell),
    c("R", "rm_rf", "", TREE), c("R", "rm_r", "", TREE), c("R", "remove_dir", "", TREE), c("R", "remove_entry", "", TREE),
    c("R", "rmtree", "", TREE), c("R", "rm", "FileUtils", DELETE), c("R", "rm_f", "", DELETE),
    c("R", "delete", "File|Dir", DELETE), c("R", "unlink", "File|Dir", DELETE), c("R", "rmdir", "Dir|FileUtils", DELETE),
    c("R", "remove", "FileUtils", DELETE), c("R", "remove_file", "", DELETE), c("R", "safe_unlink", "", DELETE),
    c("R", "remove_entry_secure", "", TREE), on("R", "delete", DELETE), on("R", "unlink", DELETE),
    common("R", "pipeline", "Open3", Argv), common("R", "pipeline_r", "Open3", Argv), common("R", "popen2", "", Shell),
    common("R", "popen2e", "", Shell), common("R", "popen3", "", Shell), common("R", "syscall", "", Argv),
    c("R", "class_eval", "", Evaluate), common("R", "binwrite", "File|IO", WRITE), common("R", "chown", "", MODE),
    common("R", "chown_R", "", MODE), c("R", "destroy_all", "", DELETE), c("R", "delete_all", "", DELETE), common("R", "write", "File", WRITE), common("R", "write", "IO", WRITE),
    common("R", "open", "", OpenFile), common("R", "read", "File", READ), common("R", "rename", "File", MOVE),
    common("R", "mv", "FileUtils", MOVE), common("R", "chmod", "", MODE), common("R", "chmod_R", "", MODE),
    c("R", "kill", "Process", SIGNAL), c("R", "eval", "", Evaluate), c("R", "instance_eval", "", Evaluate),
    common("R", "truncate", "File", WRITE),
    // PHP
    c("H", "system", "", Shell), c("H", "exec", "", Shell), c("H", "shell_exec", "", Shell), c("H", "passthru", "", Shell),
    c("H", "popen", "", Shell), c("H", "proc_open", "", Shell), c("H", "pcntl_exec", "", Argv), c("H", "unlink", "", DELETE),
    c("H", "rmdir", "", DELETE), c("H", "file_put_contents", "", WRITE), common("H", "file_get_contents", "", READ),
    common("H", "fopen", "", OpenFile), c("H", "rename", "", MOVE), c("H", "chmod", "", MODE), c("H", "eval", "", Evaluate),
    c("H", "assert", "", Evaluate), c("H", "create_function", "", Evaluate), common("H", "chown", "", MODE),
    common("H", "chgrp", "", MODE), common("H", "ftruncate", "", WRITE), c("H", "posix_kill", "", SIGNAL),
    common("H", "deleteDirectory", "", TREE), common("H", "copy", "", WRITE),
    // Lua
    c("U", "execute", "os", Shell), c("U", "popen", "io", Shell), c("U", "remove", "os", DELETE), c("U", "rename", "os", MOVE),
    common("U", "open", "io", OpenFile), c("U", "load", "", Evaluate), c("U", "loadstring", "", Evaluate), c("U", "rmdir", "lfs", DELETE), c("U", "dofile", "", Evaluate),
    common("U", "system", "fn", Shell), common("U", "delete", "fn", TREE),
    // R
    c("S", "system", "", Shell), c("S", "system2", "", Argv), c("S", "shell", "", Shell), c("S", "unlink", "", TREE),
    c("S", "file.remove", "", DELETE), c("S", "remove", "file", DELETE), common("S", "writeLines", "", WRITE), c("S", "dir_delete", "", TREE), c("S", "file_delete", "", DELETE),
    common("S", "exec_wait", "", Argv), common("S", "exec_internal", "", Argv), common("S", "run", "", Argv),
    common("S", "file.rename", "", MOVE), common("S", "rename", "file", MOVE), common("S", "Sys.chmod", "", MODE),
    common("S", "pipe", "", Shell), common("S", "parse", "", Evaluate),
    // Julia
    c("I", "rm", "", TREE), c("I", "mv", "", MOVE), c("I", "chmod", "", MODE), common("I", "write", "", WRITE), common("I", "Cmd", "", Argv), common("I", "eval", "", Evaluate),
    common("I", "open", "", OpenFile),
    // awk
    c("A", "system", "", Shell),
    // Tcl
    c("T", "exec", "", Argv), c("T", "eval", "", Evaluate), common("T", "open", "", OpenFile),
    // AppleScript
    c("O", "script", "", Shell), common("O", "system", "", Shell), common("O", "doShellScript", "", Shell),
    common("O", "delete", "", DELETE),
    // Elixir and Erlang
    c("E", "cmd", "os|System", Argv), c("E", "shell", "System", Shell), c("E", "rm_rf", "", TREE), c("E", "rm", "File", DELETE),
    c("E", "rmdir", "File", DELETE), c("E", "del_dir_r", "", TREE), c("E", "del_dir", "", DELETE), c("E", "delete", "file", DELETE),
    common("E", "write", "File", WRITE), common("E", "write_file", "file", WRITE), common("E", "rename", "File|file", MOVE),
    common("E", "open_port", "", Shell), c("E", "eval_string", "", Evaluate), common("E", "chmod", "File", MODE),
    // Groovy, Java, Kotlin, Scala
    c("G", "exec", "", Shell), c("G", "ProcessBuilder", "", Argv), on("G", "execute", Shell), c("G", "deleteDir", "", TREE),
    c("G", "deleteRecursively", "", TREE), c("G", "deleteDirectory", "", TREE), c("G", "deleteQuietly", "", TREE),
    c("G", "forceDelete", "", TREE), c("G", "cleanDirectory", "", TREE), c("G", "delete", "Files|File", DELETE),
    c("G", "deleteIfExists", "", DELETE), on("G", "delete", DELETE), c("G", "deleteOnExit", "", DELETE),
    common("G", "writeString", "Files", WRITE), common("G", "FileWriter", "", WRITE), common("G", "move", "Files", MOVE),
    common("G", "Process", "", Shell), common("G", "proc", "os", Argv), common("G", "all", "remove", TREE),
    // Haskell
    common("K", "callCommand", "", Shell), common("K", "system", "", Shell), common("K", "spawnCommand", "", Shell),
    common("K", "shell", "", Shell), common("K", "callProcess", "", Argv), common("K", "rawSystem", "", Argv),
    common("K", "readProcess", "", Argv), common("K", "spawnProcess", "", Argv), common("K", "proc", "", Argv),
    c("K", "removeDirectoryRecursive", "", TREE), c("K", "removePathForcibly", "", TREE), c("K", "removeFile", "", DELETE),
    c("K", "removeDirectory", "", DELETE), common("K", "writeFile", "", WRITE), common("K", "renameFile", "", MOVE),
    // Lisps
    c("C", "system", "", Shell), c("C", "shell", "", Shell), c("C", "run-shell-command", "", Shell), c("C", "sh", "", Argv),
    c("C", "shell-command", "", Shell), c("C", "shell-command-to-string", "", Shell), c("C", "process", "", Argv),
    c("C", "run-program", "", Argv), c("C", "launch-program", "", Argv), c("C", "system*", "", Argv), c("C", "execlp", "", Argv),
    c("C", "execl", "", Argv), c("C", "call-process", "", Argv), c("C", "start-process", "", Argv), c("C", "process-execute", "", Argv),
    c("C", "delete-file", "", DELETE), c("C", "delete-directory", "", TREE), c("C", "delete-directory-tree", "", TREE),
    c("C", "delete-directory/files", "", TREE), c("C", "rmdir", "", DELETE), c("C", "delete-tree", "", TREE),
    c("C", "delete-if-exists", "", DELETE), c("C", "rename-file", "", MOVE), common("C", "spit", "", WRITE),
    // Ocaml
    common("M", "command", "Sys", Shell), common("M", "system", "Unix", Shell), common("M", "open_process_in", "Unix", Shell),
    common("M", "execv", "Unix", Argv), common("M", "execvp", "Unix", Argv), c("M", "remove", "Sys", DELETE),
    c("M", "unlink", "Unix", DELETE), c("M", "rmdir", "Unix|Sys", DELETE), common("M", "open_out", "", WRITE),
    // Octave, Matlab
    c("V", "system", "", Shell), c("V", "unix", "", Shell), c("V", "dos", "", Shell),
    c("V", "delete", "", DELETE), c("V", "unlink", "", DELETE), c("V", "rmdir", "", TREE),
    common("V", "movefile", "", MOVE), common("V", "popen", "", Shell), c("V", "eval", "", Evaluate),
    // Gnuplot
    c("N", "system", "", Shell), c("N", "evaluate", "", Evaluate),
    // Swift
    c("W", "removeItem", "", TREE), common("W", "system", "", Shell), common("W", "trashItem", "", TREE),
];
