#!/bin/sh
# Starts the systemd of a root directory as the first process of new namespaces: boot-system.sh ROOT. The network is the
# machine's own. An empty control group of version 2 has to be the current one.
set -eu
root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
for folder in run tmp; do mount -t tmpfs tmpfs "$root/$folder"; done
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  mknod -m 666 "$root/dev/$device" c $(stat -c '0x%t 0x%T' "/dev/$device")
done
mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/mqueue" "$root/dev/net"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
mount -t mqueue mqueue "$root/dev/mqueue"
if [ -e /dev/net/tun ]; then mknod -m 666 "$root/dev/net/tun" c 10 200; fi
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
cp --dereference /etc/resolv.conf "$root/etc/resolv.conf"
cd "$root"
pivot_root . mnt
exec env -i container=lightkeeper-test PATH=/usr/sbin:/usr/bin:/sbin:/bin \
  sh -c 'umount -l /mnt; exec /sbin/init systemd.unit=multi-user.target'
