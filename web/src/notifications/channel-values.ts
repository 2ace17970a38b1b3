import type { NotificationChannel, NotificationChannelType } from "@lightkeeper/contract";

export interface ChannelValues {
  type: NotificationChannelType;
  name: string;
  isEnabled: boolean;
  addresses: string[];
  url: string;
}

export const newChannel: ChannelValues = {
  type: "EMAIL",
  name: "",
  isEnabled: true,
  addresses: [""],
  url: "",
};

export const toValues = ({ type, name, isEnabled, addresses, url }: NotificationChannel): ChannelValues => ({
  type,
  name,
  isEnabled,
  addresses: addresses.length > 0 ? addresses : [""],
  url: url ?? "",
});

/** Leaves out what doesn't apply to the type. */
export function toBody({ type, name, isEnabled, addresses, url }: ChannelValues) {
  const filled = addresses.map((address) => address.trim()).filter((address) => address !== "");
  return {
    name,
    isEnabled,
    addresses: type === "EMAIL" ? filled : [],
    url: type === "EMAIL" ? null : url.trim(),
  };
}
