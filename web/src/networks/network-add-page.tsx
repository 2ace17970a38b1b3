import { createNetwork } from "@lightkeeper/contract";
import { useNavigate } from "react-router";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { Card } from "../ui/card.tsx";
import { PageHeader } from "../ui/page-header.tsx";
import { toast } from "../ui/toast.ts";
import { Breadcrumb } from "./breadcrumb.tsx";
import { nothingToLose } from "./leave-guard.tsx";
import { NetworkForm } from "./network-form.tsx";
import type { NetworkValues } from "./network-values.ts";
import styles from "./networks.module.css";

export function Component() {
  usePageTitle("Add network");
  const navigate = useNavigate();
  const { mutateAsync: create } = useWrite(createNetwork);

  async function save({ cidr, ...values }: NetworkValues) {
    const { name } = await create({ body: { ...values, ...(cidr.trim() && { cidr: cidr.trim() }) } });
    toast(`Network ${name} added`, { tone: "ok" });
    await navigate("/settings/networks", nothingToLose);
  }

  return (
    <div className={styles.narrow}>
      <PageHeader
        breadcrumb={<Breadcrumb />}
        title="Add network"
        lead="Its own addresses, its own certificate authority: hosts of one network never reach those of another."
      />
      <Card>
        <NetworkForm submitLabel="Add network" save={save} />
      </Card>
    </div>
  );
}
