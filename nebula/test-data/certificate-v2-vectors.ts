// A CA and a host created by nebula-cert 1.11.0.

import type { DetailsV2 } from "../src/certificate-v2.ts";
import { bytes } from "./certificate-v1-vectors.ts";

export const CA_V2 = {
  pem: `-----BEGIN NEBULA CERTIFICATE V2-----
MH2gF4AGS8O8c3RlhAH/hQRq+SarhgR9xSmrgiCfXybYi6dA3xXeKTSNTzuAfvpN
mgYGfBhTcFswukDxooNAkL58lxfbe5Z1sVMrw9nKS2nbemYAt5I4dZrkYafLCCbe
R+eFjL3kbJcX03W+v9m/udmRQ742FjK0cVXX7XohDw==
-----END NEBULA CERTIFICATE V2-----
`,
  privateKeyPem: `-----BEGIN NEBULA ED25519 PRIVATE KEY-----
jFcGGWZ5thUsEIT6UGiTGciN7xAY4WEaKoHlJY0T/TCfXybYi6dA3xXeKTSNTzuA
fvpNmgYGfBhTcFswukDxog==
-----END NEBULA ED25519 PRIVATE KEY-----
`,
  fingerprint: "80db438b71b6e919f00eb8a8b099e33ce8e46053062f7dd53062ed4cf4294fea",
};

export const HOST_V2: { details: DetailsV2; pem: string; fingerprint: string } = {
  details: {
    name: "host-a",
    networks: [
      { address: Uint8Array.of(100, 100, 0, 29), prefixLength: 22 },
      { address: bytes("fd00000000000000000000000000001d"), prefixLength: 64 },
    ],
    unsafeNetworks: [
      { address: Uint8Array.of(192, 168, 14, 0), prefixLength: 26 },
      { address: bytes("fd010000000000000000000000000000"), prefixLength: 48 },
    ],
    groups: ["role:abc", "tag:env:prod"],
    notBefore: new Date("2026-11-15T03:27:39Z"),
    notAfter: new Date("2035-12-31T11:27:39Z"),
    publicKey: bytes("ce8d3ad1ccb633ec7b70c17814a5c76ecd029685050d344745ba05870e587d59"),
    isCa: false,
    issuer: CA_V2.fingerprint,
  },
  pem: `-----BEGIN NEBULA CERTIFICATE V2-----
MIHvoIGIgAZob3N0LWGhGgQFZGQAHRYEEf0AAAAAAAAAAAAAAAAAAB1AohoEBcCo
DgAaBBH9AQAAAAAAAAAAAAAAAAAAMKMYDAhyb2xlOmFiYwwMdGFnOmVudjpwcm9k
hQRq+SarhgR8I66rhyCA20OLcbbpGfAOuKiwmeM86ORgUwYvfdUwYu1M9ClP6oIg
zo060cy2M+x7cMF4FKXHbs0CloUFDTRHRboFhw5YfVmDQAPEap04qQQdGgXAsEe1
BoP726cqCSkhzWerfv7mpYnE3XT8zO2VcSQG2O2VJ08foDYjmk3yDKlB1VjlH1zP
TwI=
-----END NEBULA CERTIFICATE V2-----
`,
  fingerprint: "4f3443e7196e87578979c0e86112cc6554ddd838cf0bdabe7e1fd8f8ebc7465b",
};
