import { lazy, Suspense, useState } from "react";
import { useSearchParams } from "react-router";
import { useStored } from "../lib/stored.ts";
import { Button } from "../ui/controls/button.tsx";
import { EditIcon, PlusIcon, TrashIcon, ViewIcon } from "../ui/base/icons.tsx";
import { Menu, type MenuProps } from "../ui/overlays/menu.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { hostKinds, type HostKind } from "../references/host-link.tsx";
import { isSameView, savedViews, viewQuery, withView, type SavedView } from "./saved-views.ts";

const ViewNameDialog = lazy(() => import("./view-name-dialog.tsx"));

interface ViewSwitchProps {
  kind: HostKind;
  columns: readonly string[];
  /** Undefined restores the default columns. */
  onColumns: (columns: readonly string[] | undefined) => void;
}

/** Saves and opens views of the list: search, filters, order and columns. */
export function ViewSwitch({ kind, columns, onColumns }: ViewSwitchProps) {
  const [parameters, setParameters] = useSearchParams();
  const [views, setViews] = useStored(savedViews[kind]);
  const [naming, setNaming] = useState<"new" | "current">();
  const currentState = { query: viewQuery(parameters), columns };
  const current = views.find((view) => isSameView(view, currentState));

  function show(view: SavedView) {
    onColumns(view.columns);
    setParameters(new URLSearchParams(view.query));
  }
  function remove(view: SavedView) {
    setViews(views.filter((saved) => saved !== view));
    const undo = () => setViews(withView(savedViews[kind].read(), view));
    toast(`View ${view.name} deleted`, { action: { label: "Undo", onSelect: undo } });
  }
  function saveAs(name: string) {
    const others = naming === "current" ? views.filter((saved) => saved !== current) : views;
    setViews(withView(others, { ...currentState, name }));
    setNaming(undefined);
  }

  const items: MenuProps["items"] = [
    {
      label: `All ${hostKinds[kind].label.toLowerCase()}`,
      onSelect: () => {
        onColumns(undefined);
        setParameters({});
      },
    },
    ...views.map((view) => ({ label: view.name, onSelect: () => show(view) })),
    "separator",
    { label: "Save this view…", icon: <PlusIcon />, onSelect: () => setNaming("new") },
    ...(current
      ? [
          { label: `Rename ${current.name}…`, icon: <EditIcon />, onSelect: () => setNaming("current") },
          {
            label: `Delete ${current.name}`,
            icon: <TrashIcon />,
            danger: true,
            onSelect: () => remove(current),
          },
        ]
      : []),
  ];

  return (
    <>
      <Menu
        trigger={
          <Button variant="quiet" icon={<ViewIcon />}>
            {current ? current.name : "Views"}
          </Button>
        }
        items={items}
      />
      <Suspense>
        {naming && (
          <ViewNameDialog
            name={naming === "current" ? (current?.name ?? "") : ""}
            taken={views.map((view) => view.name)}
            onClose={() => setNaming(undefined)}
            onName={saveAs}
          />
        )}
      </Suspense>
    </>
  );
}
