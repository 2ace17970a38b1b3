/** How each type of item is shown. */
import type { AttentionItem } from "@lightkeeper/contract";
import { blockUnacknowledged } from "./block-unacknowledged.tsx";
import { caExpiring } from "./ca-expiring.tsx";
import { certificateExpiring } from "./certificate-expiring.tsx";
import { channelFailing } from "./channel-failing.tsx";
import { guaranteeFailing } from "./guarantee-failing.tsx";
import type { ItemDescription } from "./item-parts.tsx";
import { networkWithoutLighthouse } from "./network-without-lighthouse.tsx";
import { rotationWaiting } from "./rotation-waiting.tsx";

export const items: Readonly<Record<AttentionItem["type"], ItemDescription>> = {
  NETWORK_WITHOUT_LIGHTHOUSE: networkWithoutLighthouse,
  GUARANTEE_FAILING: guaranteeFailing,
  CA_EXPIRING: caExpiring,
  ROTATION_WAITING: rotationWaiting,
  CERTIFICATE_EXPIRING: certificateExpiring,
  BLOCK_UNACKNOWLEDGED: blockUnacknowledged,
  CHANNEL_FAILING: channelFailing,
};
