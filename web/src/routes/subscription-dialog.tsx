import { NotFoundError, updateTag, type Route } from "@lightkeeper/contract";
import { useQuery } from "@tanstack/react-query";
import { useWrite } from "../lib/query.ts";
import { ConfirmWithPreview } from "../preview/confirm-with-preview.tsx";
import { mutationsOf } from "../preview/preview-values.ts";
import { guaranteeViolated } from "../preview/violation-values.ts";
import { tagQuery } from "../references/tags.queries.ts";
import { toast } from "../ui/feedback/toast.ts";

/** Whether hosts with a tag get the route. */
export interface SubscriptionChange {
  tag: string;
  isSubscribed: boolean;
}

interface SubscriptionDialogProps {
  route: Pick<Route, "id" | "name">;
  change: SubscriptionChange;
  onClose: () => void;
}

const rules = [guaranteeViolated];

/** Confirms that a route applies to the hosts with a tag, or no longer. The default export is for `lazy()`. */
export default function SubscriptionDialog({ route, change, onClose }: SubscriptionDialogProps) {
  const { call, loadError } = useSubscriptionCall(route.id, change);
  const { verb, consequence, done } = change.isSubscribed ? texts.add : texts.remove;
  const { mutate, isPending, error } = useWrite(updateTag, {
    onSuccess: () => {
      toast(`${route.name} ${done} to hosts with ${change.tag}`, { tone: "ok" });
      onClose();
    },
    rules,
  });
  return (
    <ConfirmWithPreview
      danger={!change.isSubscribed}
      title={
        <>
          {verb} <bdi>{route.name}</bdi> {change.isSubscribed ? "to" : "from"} hosts with{" "}
          <bdi>{change.tag}</bdi>?
        </>
      }
      consequence={consequence}
      confirmLabel={`${verb} route`}
      mutations={call ? mutationsOf(updateTag, call) : null}
      name={route.name}
      loading={!call}
      pending={isPending}
      error={loadError ?? error}
      rules={rules}
      onClose={onClose}
      onConfirm={() => call && mutate(call)}
    />
  );
}

const texts = {
  add: {
    verb: "Apply",
    consequence: "Hosts with this tag that are in the router’s network get the route.",
    done: "now applies",
  },
  remove: {
    verb: "Remove",
    consequence: "Hosts with this tag lose the route, unless another of their tags has it.",
    done: "no longer applies",
  },
} as const;

/** Keeps the other values of the tag. Undefined until the tag is loaded. */
function useSubscriptionCall(routeID: string, { tag: name, isSubscribed }: SubscriptionChange) {
  const { data: tag, error } = useQuery({ ...tagQuery(name), staleTime: 0, gcTime: 0 });
  const loadError = error instanceof NotFoundError ? new Error("This tag no longer exists.") : error;
  if (!tag) return { call: undefined, loadError };
  const { description, configOverrides } = tag;
  const others = tag.routeSubscriptions.filter((id) => id !== routeID);
  const routeSubscriptions = isSubscribed ? [...others, routeID] : others;
  const body = { description, configOverrides, routeSubscriptions };
  return { call: { params: { tag: name }, body }, loadError };
}
