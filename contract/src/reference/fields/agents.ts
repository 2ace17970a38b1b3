/** Fields of the messages of agents, of downloads and of the console. */
import { exampleID, type FieldTable, OMITTED, times } from "../field.ts";

const PEM_BYTES = "LS0tLS1CRUdJTi4uLg==";

export const agentFields: FieldTable = {
  signature: ["The signature of `message` by the host's signing key, in base64.", PEM_BYTES],
  pollToken: ["Identifies the device while its owner signs in.", "Tq9vK4xRz7NmLw2P"],
  dhPubkey: ["The host's X25519 public key, as PEM in base64.", PEM_BYTES],
  edPubkey: ["The host's Ed25519 public key, as PEM in base64.", PEM_BYTES],
  nebulaPubkeyP256: ["The host's P-256 public key for Nebula, as PEM in base64.", null],
  hostPubkeyP256: ["The host's P-256 public key for signatures, as PEM in base64.", null],
  trustedKeys: ["The keys that sign the server's replies, as PEM in base64.", PEM_BYTES],
  endpointOIDC: ["Who enrolled the device with single sign-on; null for other hosts.", null],

  dnclient: [
    "The executables of the agent, by version or `latest`, then by platform.",
    {
      latest: { "linux-amd64": "https://nebula.example.com/downloads/files/lightkeeper-agent-linux-amd64" },
    },
  ],
  mobile: ["Apps for phones, if there are any.", {}],
  android: ["The app for Android.", OMITTED],
  ios: ["The app for iOS.", OMITTED],
  container: ["Container images, if there are any.", {}],
  docker: ["The image for Docker.", OMITTED],
  versionInfo: ["The available versions."],
  "versionInfo.dnclient": [
    "The versions of the agent.",
    { "0.1.0": { latest: true, releaseDate: "2026-03-02" } },
  ],
  "versionInfo.latest": ["The newest versions; missing if there is none.", { dnclient: "0.1.0" }],
  "latest.dnclient": ["The newest version of the agent.", "0.1.0"],
  "latest.mobile": ["The newest version of the app.", OMITTED],
  "dnclient.latest": ["Whether this is the newest version.", true],
  releaseDate: ["When the version was released.", "2026-03-02"],
  checksums: [
    "The SHA-256 of each executable, in hex, by its URL.",
    {
      "https://nebula.example.com/downloads/files/lightkeeper-agent-linux-amd64":
        "7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730",
    },
  ],

  hasNetwork: ["Whether the organization has a network.", true],
  hasLighthouse: ["Whether the organization has a lighthouse.", true],
  hasEnrolledLighthouse: ["Whether a lighthouse is enrolled.", true],
  enrolledHostCount: ["The number of enrolled hosts, without lighthouses and blocked hosts.", 2],
  hasTunnel: ["Whether a host that isn't a lighthouse has reported a tunnel to another one.", false],

  stack: ["The stack of the error.", "TypeError: x is undefined\n  at render (app.js:1:2)"],
  requestID: ["The `X-Request-ID` of the failed request.", "01JNZ8Q4X7"],
  errors: ["The errors."],
  "errors.code": ["The error code.", "ERR_DUPLICATE_VALUE"],
  guaranteeID: ["The ID of the guarantee.", exampleID("guarantee")],
  routeID: ["The ID of the route.", exampleID("route")],
  tag: ["The name of the tag, in the form `key:value`.", "env:production"],
  "network.id": ["The ID of the network.", exampleID("network")],
  "organization.id": ["The ID of the organization.", exampleID("org")],
  "endpointOIDC.expiresAt": ["Until when the device can stay in the network.", times.soon],
};
