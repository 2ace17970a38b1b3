/**
 * The agent as a systemd service. It runs as root, because root enrolls and asks for its status, but with two of
 * root's powers: tunnels, addresses and routes, and ports below 1024, which a listen port or a lighthouse's name
 * service may be.
 */
export const SERVICE_UNIT = `[Unit]
Description=Lightkeeper agent
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0
# Until the host has enrolled there is nothing to run.
ConditionPathExists=|/var/lib/lightkeeper/state.json
ConditionPathExists=|/var/lib/lightkeeper/enrollment.json

[Service]
ExecStart=/usr/local/bin/lightkeeper-agent run
Restart=always
RestartSec=2
# Exit 3: no longer enrolled.
RestartPreventExitStatus=3
# The agent ends nebula by itself.
KillMode=mixed
TimeoutStopSec=30
StateDirectory=lightkeeper
StateDirectoryMode=0700
UMask=0077
# Memory holds private keys.
LimitCORE=0

CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
DevicePolicy=closed
DeviceAllow=/dev/net/tun rw
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
ProtectClock=yes
ProtectHostname=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_INET AF_INET6 AF_NETLINK AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: Node compiles JavaScript into memory that it then runs.

[Install]
WantedBy=multi-user.target
`;
