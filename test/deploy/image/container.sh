#!/bin/sh
# A container without an engine: process 1 of a namespace of processes, on a read-only root that has nothing but the system's programs and
# libraries, the image's own folder and what is mounted into it. Started by `unshare --mount --pid --fork`, as root; what it runs is not.
#
#   container.sh ROOT APP NODE USER:GROUP MOUNTS COMMAND...     MOUNTS: `source:target` with commas between, read-only; or empty
set -eu
root=$1 app=$2 node=$3 user=$4 mounts=$5
shift 5

readonly_bind() {
  mount --bind "$1" "$2"
  mount -o remount,bind,ro "$2"
}

mount -t tmpfs -o mode=755 tmpfs "$root"
mkdir -p "$root/usr" "$root/etc" "$root/app" "$root/proc" "$root/dev" "$root/tmp" "$root/local"
for name in bin sbin lib lib64; do
  if [ -L "/$name" ]; then
    ln -s "$(readlink "/$name")" "$root/$name"
  elif [ -d "/$name" ]; then
    mkdir "$root/$name"
    readonly_bind "/$name" "$root/$name"
  fi
done
readonly_bind /usr "$root/usr"
# No /etc/passwd: nobody there has the image's number either.
for name in hosts nsswitch.conf ld.so.cache resolv.conf; do
  if [ -e "/etc/$name" ]; then cp "/etc/$name" "$root/etc/$name"; fi
done
cp "$node" "$root/local/node"
ln -s /app/dist/apps/cli/src/main.js "$root/local/jobwarden"
mount --bind "$root/local" "$root/usr/local/bin"
readonly_bind "$app" "$root/app"
for name in null urandom; do
  : >"$root/dev/$name"
  mount --bind "/dev/$name" "$root/dev/$name"
done
mount -t proc proc "$root/proc"
old=$IFS
IFS=,
for pair in $mounts; do
  mkdir -p "$root${pair#*:}"
  readonly_bind "${pair%%:*}" "$root${pair#*:}"
done
IFS=$old
mount -o remount,bind,ro "$root/usr/local/bin"
mount -o remount,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" "$root" "$@"
