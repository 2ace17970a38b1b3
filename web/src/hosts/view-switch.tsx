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
  const { views, current, showAll, show, remove, save } = useViews({ kind, columns, onColumns });
  const [naming, setNaming] = useState<"new" | "current">();

  const items: MenuProps["items"] = [
    { label: `All ${hostKinds[kind].label.toLowerCase()}`, onSelect: showAll },
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
            onName={(name) => {
              save(name, naming);
              setNaming(undefined);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

function useViews({ kind, columns, onColumns }: ViewSwitchProps) {
  const [parameters, setParameters] = useSearchParams();
  const [views, setViews] = useStored(savedViews[kind]);
  const currentState = { query: viewQuery(parameters), columns };
  const current = views.find((view) => isSameView(view, currentState));

  function showAll() {
    onColumns(undefined);
    setParameters({});
  }
  function show(view: SavedView) {
    onColumns(view.columns);
    setParameters(new URLSearchParams(view.query));
  }
  function remove(view: SavedView) {
    setViews(views.filter((saved) => saved !== view));
    const undo = () => setViews(withView(savedViews[kind].read(), view));
    toast(`View ${view.name} deleted`, { action: { label: "Undo", onSelect: undo } });
  }
  /** Saves the current state as a new view, or in place of the current view. */
  function save(name: string, as: "new" | "current") {
    const remaining = as === "current" ? views.filter((saved) => saved !== current) : views;
    setViews(withView(remaining, { ...currentState, name }));
  }
  return { views, current, showAll, show, remove, save };
}
