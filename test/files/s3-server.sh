#!/usr/bin/env bash
# An S3 server for tests: Ceph's radosgw with one in-memory store, on loopback only. Stops with its caller.
# Usage: s3-server.sh FOLDER PORT MONITOR-PORT   Prints "ready" once it accepts the keys AKTEST and SKTESTSKTEST, then
# runs until its standard input ends. Needs Debian's ceph-mon, ceph-osd, radosgw and ceph-common.
set -eu
folder=$1 port=$2 monitor=127.0.0.1:$3
mkdir -p "$folder"/{mon,osd,run,log}
export CEPH_CONF=$folder/ceph.conf
cluster=$(cat /proc/sys/kernel/random/uuid)
store=$(cat /proc/sys/kernel/random/uuid)

stop() {
  [ $? -eq 0 ] || tail -n 20 "$folder/log/start" >&4
  cat "$folder"/run/*.pid 2>/dev/null | xargs -r kill -9 2>/dev/null || true
}
exec 3>&1 4>&2 5<&0 >"$folder/log/start" 2>&1 </dev/null
trap stop EXIT
trap 'exit 1' TERM INT

cat >"$CEPH_CONF" <<CONF
[global]
fsid = $cluster
mon_host = $monitor
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
ms_bind_ipv6 = false
keyring = $folder/keyring
run_dir = $folder/run
pid_file = $folder/run/\$name.pid
admin_socket = $folder/run/\$name.asok
log_file = $folder/log/\$name.log
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
[mon]
mon_data = $folder/mon
[osd]
osd_data = $folder/osd
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_class_update_on_start = false
osd_crush_update_on_start = false
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:$port
rgw_data = $folder
CONF

monmaptool --create --fsid "$cluster" --addv a "[v1:$monitor]" "$folder/monmap"
ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *'
ceph-authtool "$folder/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *'
ceph-mon -i a --mkfs --monmap "$folder/monmap" --keyring "$folder/keyring"
ceph-mon -i a
timeout 30 ceph osd new "$store" 0
ceph-osd -i 0 --mkfs --osd-uuid "$store"
ceph-osd -i 0
timeout 30 ceph osd crush add osd.0 1.0 root=default host=here
radosgw -n client.rgw
timeout 60 radosgw-admin user create --uid=test --display-name=test --access-key=AKTEST --secret-key=SKTESTSKTEST
for _ in $(seq 120); do
  if : <"/dev/tcp/127.0.0.1/$port"; then break; fi
  sleep 0.5
done

echo ready >&3
cat <&5 >/dev/null
