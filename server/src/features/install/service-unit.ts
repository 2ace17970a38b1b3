/**
 * The systemd unit of the agent. It runs as root with two capabilities: CAP_NET_ADMIN for tunnels, addresses and
 * routes, and CAP_NET_BIND_SERVICE for ports below 1024, such as a lighthouse's DNS port.
 */
export const SERVICE_UNIT = `[Unit]
Description=Lightkeeper agent
After=network-online.target
Wants=network-online.target
StartLimitIntervalSec=0
# Don't start before the host is enrolled.
ConditionPathExists=|/var/lib/lightkeeper/state.json
ConditionPathExists=|/var/lib/lightkeeper/enrollment.json

[Service]
ExecStart=/usr/local/bin/lightkeeper-agent run
# The agent's threads allocate little: arenas of their own would only keep memory.
Environment=MALLOC_ARENA_MAX=1
Restart=always
RestartSec=2
# Exit 3: no longer enrolled.
RestartPreventExitStatus=3
# The agent stops nebula itself. If only the agent is killed, nebula keeps running, and the next agent continues with it.
KillMode=process
OOMPolicy=continue
TimeoutStopSec=30
StateDirectory=lightkeeper
StateDirectoryMode=0700
UMask=0077
# Private keys are in memory.
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
# MemoryDenyWriteExecute is missing because Node.js compiles JavaScript at run time.

[Install]
WantedBy=multi-user.target
`;
