#!/usr/bin/env bash
# What a newcomer does: clone, npm start, the README's first example, Ctrl-C, npm test. With an empty home, an
# empty npm cache, a bare environment, and no Node but the machine's.
#
#   bash scripts/fresh-clone.sh start|test <repository> <folder>
#
# `start` clones into the folder and goes as far as Ctrl-C, `test` is npm test in what that has left; the tests' JSON report is then
# in <folder>/report.json. Changes that are not committed are taken along,
# so that `npm run check` tells of the work in hand; on a clean checkout there are none.
set -euo pipefail
part=$1
root=$2
folder=$3
clone=$folder/jobwarden
home=$folder/home
log=$folder/start.log
address=http://127.0.0.1:7411
kept=(PATH="$PATH" HOME="$home")
for name in HTTP_PROXY HTTPS_PROXY NO_PROXY NODE_EXTRA_CA_CERTS CI; do
  if [ -n "${!name:-}" ]; then kept+=("$name=${!name}"); fi
done

# Takes the place of the calling shell, so a signal to it reaches the command: call it in ( ) or with &.
newcomer() {
  cd "$clone"
  exec env -i "${kept[@]}" "$@"
}

if [ "$part" = test ]; then
  kept+=(JOBWARDEN_TEST_REPORT="$folder/report.json" NODE_COMPILE_CACHE="$folder/compiled")
  (newcomer npm test)
  exit
fi

mkdir -p "$home"
git clone --quiet "$root" "$clone"
git -C "$root" diff --binary HEAD | git -C "$clone" apply --allow-empty
git -C "$root" ls-files --others --exclude-standard -z | tar -C "$root" --null -T - -cf - | tar -C "$clone" -xf -
# Data that some tests use when it lies beside the checkout.
if [ -d "$root/../shared" ]; then ln -s "$(cd "$root/../shared" && pwd)" "$folder/shared"; fi

echo "Node $(newcomer node --version), at $(newcomer bash -c 'type -ap node' | paste -sd' ')"
if curl --silent --max-time 2 --output /dev/null "$address/healthz"; then
  echo "Something serves $address already; stop it first."
  exit 1
fi

echo '--- npm start'
newcomer setsid npm start >"$log" 2>&1 &
npm=$!
trap 'kill -TERM -- -$npm 2>/dev/null || true; wait $npm 2>/dev/null || true' EXIT
deadline=$((SECONDS + 300))
until curl --silent --fail --max-time 2 --output /dev/null "$address/readyz"; do
  if ! kill -0 $npm 2>/dev/null || [ $SECONDS -ge $deadline ]; then
    cat "$log"
    echo 'npm start did not become ready.'
    exit 1
  fi
  sleep 0.5
done
cat "$log"

echo '--- the first example of the README'
node "$root/scripts/readme-example.mjs" "$clone/README.md" >"$folder/example.sh"
(newcomer timeout 120 bash -euo pipefail "$folder/example.sh") 2>&1 | tee "$folder/example.log"
expected=$(node "$root/scripts/readme-example.mjs" "$clone/README.md" --expects)
grep --quiet --fixed-strings -- "$expected" "$folder/example.log" || {
  echo "The example did not show: $expected"
  exit 1
}

echo '--- stopping it as Ctrl-C does'
kill -INT -- -$npm
status=0
wait $npm || status=$?
trap - EXIT
tail -n 5 "$log"
if [ "$status" -ne 0 ]; then
  echo "npm start ended with code $status."
  exit 1
fi
if pgrep --full "$clone/node_modules" >/dev/null; then
  echo 'Processes of the clone are still running:'
  pgrep --full --list-full "$clone/node_modules"
  exit 1
fi
