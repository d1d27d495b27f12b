#!/usr/bin/env bash
# labels: unsanitized
# quern tune run stops cleanly at SIGINT and SIGTERM, and after a kill no configuration is skipped. Arguments: source
# folder, quern binary, build folder.
set -u
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cat >"$folder/stop.py" <<'END'
import os, signal, sqlite3, subprocess, sys, time

quern, folder = sys.argv[1:]
crash = 6
failures = 0

def fail(words):
    global failures
    print(words)
    failures += 1

def outcomes(store):
    connection = sqlite3.connect(store, timeout=30)
    try:
        return [row[0] for row in connection.execute("SELECT outcome FROM test")]
    except sqlite3.OperationalError: # the table does not exist yet
        return []
    finally:
        connection.close()

def start(store):
    # a shell in the background ignores SIGINT, and so would its programs
    default = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen([quern, "tune", "run", "benchmark/transpose", "--device", "host", "--size", "1024x1024",
                             "--searcher", "random", "--budget", "100s", "--store", store],
                            preexec_fn=default, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

# Interrupt a run once it has finished some tests beyond those already in the store.
def interrupt(store, how):
    before = len(outcomes(store)) if os.path.exists(store) else 0
    run = start(store)
    deadline = time.time() + 60
    while run.poll() is None and time.time() < deadline:
        if os.path.exists(store) and sum(o >= 0 for o in outcomes(store)) >= before + 2:
            break
        time.sleep(0.01)
    if run.poll() is not None:
        fail("%s: it ended before it could be stopped: %s" % (how.name, run.stderr.read()))
        return None, ""
    run.send_signal(how)
    try:
        said = run.communicate(timeout=30)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        fail("%s: it did not stop" % how.name)
        return None, ""
    return run.returncode, said

for how in (signal.SIGINT, signal.SIGTERM):
    store = os.path.join(folder, how.name + ".db")
    for _ in range(2):
        code, said = interrupt(store, how)
        if code is None:
            continue
        if code < 0:
            fail("%s: the signal ended it; expected a clean stop" % how.name)
        if "stopped" not in said:
            fail("%s: said \"%s\"; expected that it was stopped" % (how.name, said))
        if any(o < 0 or o == crash for o in outcomes(store)):
            fail("%s: configurations are marked: %s" % (how.name, outcomes(store)))

store = os.path.join(folder, "kill.db")
for _ in range(3):
    code, said = interrupt(store, signal.SIGKILL)
    if code not in (None, -signal.SIGKILL):
        fail("SIGKILL: exit code %d" % code)
    if crash in outcomes(store):
        fail("SIGKILL: a configuration counts as a crash: %s" % outcomes(store))
sys.exit(failures != 0)
END
QUERN_TUNING_STORE=off python3 "$folder/stop.py" "$2" "$folder"
