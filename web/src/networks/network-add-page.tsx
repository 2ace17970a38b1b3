import { createNetworkV2 } from "@lightkeeper/contract";
import { useNavigate } from "react-router";
import { nothingToLose } from "../forms/leave-guard.tsx";
import { useWrite } from "../lib/query.ts";
import { usePageTitle } from "../lib/title.ts";
import { AddPage } from "../ui/pages/add-page.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { networkCrumbs, NETWORKS_PATH } from "../references/network-link.tsx";
import { NetworkForm } from "./network-form.tsx";
import { toCreate, type NetworkValues } from "./network-values.ts";

export function NetworkAddPage() {
  usePageTitle("Add network");
  const navigate = useNavigate();
  const { mutateAsync: create } = useWrite(createNetworkV2);

  async function save(values: NetworkValues) {
    const { name } = await create({ body: toCreate(values) });
    toast(`Network ${name} added`, { tone: "ok" });
    await navigate(NETWORKS_PATH, nothingToLose);
  }

  return (
    <AddPage
      crumbs={networkCrumbs}
      title="Add network"
      lead="A network is an isolated overlay with its own address range and certificate authority."
    >
      <NetworkForm submitLabel="Add network" save={save} />
    </AddPage>
  );
}
