import { upgradeNetwork, type NetworkV2 } from "@lightkeeper/contract";
import { useForm } from "react-hook-form";
import { EditForm } from "../forms/edit-form.tsx";
import { queryClient, useWrite } from "../lib/query.ts";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { networkPath } from "../references/network-link.tsx";
import { useReadOnly } from "../ui/base/read-only.ts";
import { toast } from "../ui/feedback/toast.ts";
import { Card } from "../ui/pages/card.tsx";
import { CidrPicker, cidrRule, validateFamily } from "./cidr-picker.tsx";
import { upgradeRejected } from "./network-upgrade-rules.ts";
import { networkUpgradeQuery } from "./network-upgrade.queries.ts";
import styles from "./network-upgrade.module.css";

/** What an upgrade needs and changes, and the form that starts it. The default export is for `lazy()`. */
export default function UpgradeStart({ network }: { network: NetworkV2 }) {
  const isReadOnly = useReadOnly();
  return (
    <>
      <Card title="Before you start">
        <ul className={styles.facts}>
          <li>
            Every host needs Nebula 1.10 or newer. The first step lists all other hosts and waits for them.
            New hosts can only enroll with Nebula 1.10 or newer.
          </li>
          <li>
            Connections stay up. Each step waits for every enrolled host, so an offline host delays the
            upgrade until it reconnects or you skip it.
          </li>
          <li>
            Hosts use their IPv6 addresses after Nebula restarts on them, for example after you restart the
            agent.
          </li>
          <li>You start the last step yourself. Until then, you can revert the upgrade.</li>
          <li>
            After the last step, tools that read or change single hosts with version 1 of the API get the
            error <code>ERR_CERT_VERSION_2_INCOMPATIBLE</code>. Update them to a newer version of the API
            first.
          </li>
        </ul>
      </Card>
      {!isReadOnly && (
        <Card title="Start the upgrade">
          <StartForm network={network} />
        </Card>
      )}
    </>
  );
}

const rules = [cidrRule("cidr"), upgradeRejected, guaranteeViolated];

function StartForm({ network }: { network: NetworkV2 }) {
  const form = useForm({ defaultValues: { cidr: "" } });
  const { mutateAsync: start } = useWrite(upgradeNetwork);
  async function save({ cidr }: { cidr: string }) {
    const text = cidr.trim();
    const params = { networkID: network.id };
    const upgrade = await start({ params, body: text === "" ? {} : { cidr: text } });
    toast(`Upgrade of ${network.name} started`, { tone: "ok" });
    queryClient.setQueryData(networkUpgradeQuery(network.id).queryKey, upgrade);
  }
  return (
    <EditForm
      form={form}
      noun="network"
      rules={rules}
      submitLabel="Start upgrade"
      cancelTo={networkPath(network.id)}
      save={save}
    >
      <CidrPicker
        label="IPv6 CIDR"
        family="IPv6"
        registration={form.register("cidr", { validate: (text) => validateFamily(text, "IPv6") })}
        value={form.watch("cidr")}
        error={form.formState.errors.cidr?.message}
      />
    </EditForm>
  );
}
