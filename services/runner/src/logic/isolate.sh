# Runs the code of a logic step where it sees no file of this machine but Python and its libraries. This shell is the
# first process of new namespaces: it has no network, and its mounts are seen by no other process. When it ends or is
# killed, the kernel kills every process in the namespaces, also one that left the group and the session.
#
# Arguments: Python, the folder of Python, the text of child.py, and the limits for child.py.
set -eu
python=$1
prefix=$2
shift 2

# A file system in memory. It covers /tmp only in these namespaces, and it is gone with them.
root=/tmp
mount -t tmpfs -o size=1m,nr_inodes=512,mode=755,nosuid,nodev mandate-logic "$root"
for folder in /usr /bin /lib /lib32 /lib64 "$prefix"; do
  if [ -L "$folder" ]; then
    cp -P "$folder" "$root$folder"
  elif [ -d "$folder" ] && [ ! -e "$root$folder" ]; then
    mkdir -p "$root$folder"
    mount --rbind "$folder" "$root$folder"
    mount -o remount,bind,ro,nosuid,nodev "$root$folder"
  fi
done
mkdir "$root/work"
mount -t tmpfs -o size=32m,nr_inodes=256,mode=700,nosuid,nodev mandate-logic "$root/work"
mount -o remount,bind,ro,nosuid,nodev "$root"

# The child has no capability, so it cannot leave the root, undo the mounts or make namespaces of its own.
ended=0
chroot "$root" setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --securebits=+noroot,+noroot_locked \
  env -i "$python" -I -S -B -c "$@" || ended=$?
exit "$ended"
