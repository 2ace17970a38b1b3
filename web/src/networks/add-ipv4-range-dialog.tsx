import { addNetworkCidr, type NetworkV2 } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { DialogForm } from "../forms/dialog-form.tsx";
import type { Rule } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { toast } from "../ui/feedback/toast.ts";
import { CidrPicker, cidrRule, requireIpv4Cidr } from "./cidr-picker.tsx";

interface AddIpv4RangeDialogProps {
  network: NetworkV2;
  onClose: () => void;
}

/** Someone else added a range while the dialog was open. */
const rangeExists: Rule = {
  codes: ["ERR_NETWORK_ALREADY_HAS_IPV4_CIDR"],
  message: "This network already has an IPv4 range.",
};
const rules = [rangeExists, cidrRule("cidr")];

/** The default export is for `lazy()`. */
export default function AddIpv4RangeDialog({ network, onClose }: AddIpv4RangeDialogProps) {
  const form = useForm({ defaultValues: { cidr: "" } });
  const { mutateAsync: addRange } = useWrite(addNetworkCidr);
  async function save({ cidr }: { cidr: string }) {
    await addRange({ params: { networkID: network.id }, body: { cidr: cidr.trim() } });
    toast(`IPv4 range added to ${network.name}`, { tone: "ok" });
    onClose();
  }
  return (
    <DialogForm
      form={form}
      title={`Add an IPv4 range to ${network.name}`}
      description="Existing hosts keep their addresses. When you add a host, you choose whether it gets an IPv4 address."
      submitLabel="Add range"
      rules={rules}
      save={save}
      onClose={onClose}
    >
      <CidrPicker
        label="IPv4 CIDR"
        required
        registration={form.register("cidr", { validate: requireIpv4Cidr })}
        value={form.watch("cidr")}
        error={form.formState.errors.cidr?.message}
      />
    </DialogForm>
  );
}
