#!/bin/sh
# Makes the secrets of docker-compose.yml, each 256 random bits, where they are missing. What is there is left as it is, so it may be
# called again.
#
#   sh deploy/compose/init.sh [FOLDER]     FOLDER has docker-compose.yml; default: this repository
#
#   .env                                   password of the database
#   deploy/compose/secrets/*-token         the tokens themselves, for you, Prometheus and Alertmanager
#   deploy/compose/secrets/grafana-password  of Grafana's user `admin`
#   deploy/compose/secrets/policy/policy.yaml  Jobwarden's policy file with the tokens' hashes: yours to go on with
set -eu
root=${1:-$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)}
secrets=$root/deploy/compose/secrets

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
sha256() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c1-64; }

# Programs in containers are other users than you, so the files can be read by all, and the folder only by you: its files are
# mounted one by one.
umask 022
mkdir -p "$secrets/policy"
chmod 700 "$secrets"

# secret NAME
secret() {
  if [ ! -s "$secrets/$1" ]; then random >"$secrets/$1"; fi
}

# entry NAME SCOPES NAMESPACES
entry() {
  printf '  - name: %s\n    hash: %s\n    scopes: [%s]\n    namespaces: [%s]\n' "$1" "$(sha256 <"$secrets/$1-token")" "$2" "$3"
}

for name in admin workers metrics alerts; do secret "$name-token"; done
secret grafana-password

if [ ! -e "$secrets/policy/policy.yaml" ]; then
  {
    printf '# The policy of Jobwarden in docker compose. It is read again within two seconds after a change.\n'
    printf '# All settings: docs/configuration.md\n\ndefaults:\n  actions: observe\n\ntokens:\n'
    entry admin admin '"*"'
    entry workers emit default
    entry metrics read '"*"'
    entry alerts operate '"*"'
  } >"$secrets/policy/policy.yaml"
fi

if [ ! -e "$root/.env" ]; then
  (umask 077 && printf 'JOBWARDEN_DB_PASSWORD=%s\n' "$(random)" >"$root/.env")
elif ! grep -q '^JOBWARDEN_DB_PASSWORD=' "$root/.env"; then
  printf 'JOBWARDEN_DB_PASSWORD=%s\n' "$(random)" >>"$root/.env"
fi

printf 'Secrets are in %s; your token for the API and the dashboard: admin-token.\n' "$secrets"
