/** Well-known services, for completion and labels. A rule stores only protocol and ports. */
export interface Service {
  /** The text to type. */
  name: string;
  label: string;
  from: number;
  to: number;
  protocols: readonly ("TCP" | "UDP")[];
}

const protocolsOf = { TCP: ["TCP"], UDP: ["UDP"], BOTH: ["TCP", "UDP"] } as const;

type Row = readonly [
  name: string,
  label: string,
  ports: number | readonly [number, number],
  protocols?: keyof typeof protocolsOf,
];

const rows: readonly Row[] = [
  ["ftp", "FTP", 21],
  ["ssh", "SSH", 22],
  ["telnet", "Telnet", 23],
  ["smtp", "SMTP", 25],
  ["dns", "DNS", 53, "BOTH"],
  ["dhcp", "DHCP", [67, 68], "UDP"],
  ["tftp", "TFTP", 69, "UDP"],
  ["http", "HTTP", 80],
  ["kerberos", "Kerberos", 88, "BOTH"],
  ["pop3", "POP3", 110],
  ["ntp", "NTP", 123, "UDP"],
  ["imap", "IMAP", 143],
  ["snmp", "SNMP", 161, "UDP"],
  ["bgp", "BGP", 179],
  ["ldap", "LDAP", 389, "BOTH"],
  ["https", "HTTPS", 443, "BOTH"],
  ["smb", "SMB", 445],
  ["submissions", "SMTP over TLS", 465],
  ["ipsec", "IPsec IKE", 500, "UDP"],
  ["syslog", "Syslog", 514, "UDP"],
  ["submission", "SMTP submission", 587],
  ["ipp", "Printing", 631],
  ["ldaps", "LDAP over TLS", 636],
  ["rsync", "rsync", 873],
  ["imaps", "IMAP over TLS", 993],
  ["pop3s", "POP3 over TLS", 995],
  ["openvpn", "OpenVPN", 1194, "BOTH"],
  ["mssql", "SQL Server", 1433],
  ["oracle", "Oracle Database", 1521],
  ["radius", "RADIUS", [1812, 1813], "UDP"],
  ["mqtt", "MQTT", 1883],
  ["nfs", "NFS", 2049],
  ["zookeeper", "ZooKeeper", 2181],
  ["docker", "Docker over TLS", 2376],
  ["etcd", "etcd", [2379, 2380]],
  ["grafana", "Grafana", 3000],
  ["mysql", "MySQL", 3306],
  ["rdp", "Remote Desktop", 3389, "BOTH"],
  ["nebula", "Nebula", 4242, "UDP"],
  ["nats", "NATS", 4222],
  ["sip", "SIP", 5060, "BOTH"],
  ["postgresql", "PostgreSQL", 5432],
  ["amqp", "AMQP", 5672],
  ["vnc", "VNC", 5900],
  ["winrm", "WinRM", [5985, 5986]],
  ["redis", "Redis", 6379],
  ["kubernetes", "Kubernetes API", 6443],
  ["consul", "Consul", 8500],
  ["http-alt", "HTTP (alternate)", 8080],
  ["influxdb", "InfluxDB", 8086],
  ["clickhouse", "ClickHouse", 8123],
  ["vault", "Vault", 8200],
  ["https-alt", "HTTPS (alternate)", 8443],
  ["mqtts", "MQTT over TLS", 8883],
  ["cassandra", "Cassandra", 9042],
  ["prometheus", "Prometheus", 9090],
  ["kafka", "Kafka", 9092],
  ["node-exporter", "Node exporter", 9100],
  ["elasticsearch", "Elasticsearch", 9200],
  ["kubelet", "Kubelet", 10_250],
  ["memcached", "Memcached", 11_211],
  ["mongodb", "MongoDB", 27_017],
  ["wireguard", "WireGuard", 51_820, "UDP"],
  ["mosh", "mosh", [60_000, 61_000], "UDP"],
];

export const services: readonly Service[] = rows.map(([name, label, ports, protocols = "TCP"]) => {
  const [from, to] = typeof ports === "number" ? [ports, ports] : ports;
  return { name, label, from, to, protocols: protocolsOf[protocols] };
});

export const findService = (name: string): Service | undefined =>
  services.find((service) => service.name === name.toLowerCase());
