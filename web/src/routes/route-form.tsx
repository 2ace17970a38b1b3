import { RouteCreate } from "@lightkeeper/contract";
import { useState } from "react";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { HostPicker } from "../pickers/host-picker.tsx";
import { EditForm } from "../forms/edit-form.tsx";
import { NameFields, validateWith } from "../forms/name-fields.tsx";
import { descriptionMessage, nameMessage } from "../forms/length-messages.ts";
import { findEntry } from "../lib/errors.ts";
import { referenceGone, routeNameTaken } from "../lib/messages.ts";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { SubnetList } from "./subnet-list.tsx";
import { ROUTES_PATH } from "../references/route-link.tsx";
import { emptyRoute, subnetsOf, mapRouteErrors, type RouteValues } from "./route-values.ts";

interface RouteFormProps {
  /** The current values on the server; omit them to create a route. */
  latest?: RouteValues;
  submitLabel: string;
  save: (values: RouteValues) => Promise<unknown>;
}

export function RouteForm({ latest, submitLabel, save }: RouteFormProps) {
  const form = useForm<RouteValues>({ defaultValues: latest ?? emptyRoute });
  const [widerReason, setWiderReason] = useState<string>();

  async function saveOrExplain(values: RouteValues) {
    try {
      await save(values);
    } catch (error) {
      setWiderReason(findEntry(error, "ERR_RULES_WIDER")?.message);
      throw mapRouteErrors(error, values);
    }
  }

  return (
    <FormProvider {...form}>
      <EditForm
        form={form}
        noun="route"
        latest={latest}
        save={saveOrExplain}
        rules={[routeNameTaken, referenceGone, widerRules]}
        submitLabel={submitLabel}
        cancelTo={ROUTES_PATH}
      >
        <RouteFields isNew={!latest} />
        <SubnetList />
        <FormSection title="Rules">
          <RouteRules saved={latest ?? unsavedRoute} />
        </FormSection>
        <AcceptWider reason={widerReason} />
      </EditForm>
    </FormProvider>
  );
}

/** The reason is shown with the checkbox that accepts it. */
const widerRules = {
  codes: ["ERR_RULES_WIDER"],
  message: "This router would allow more than the rules say.",
};

const nameRules = validateWith(RouteCreate.shape.name, nameMessage);
const descriptionRules = validateWith(RouteCreate.shape.description, descriptionMessage);

function RouteFields({ isNew }: { isNew: boolean }) {
  const form = useFormContext<RouteValues>();
  const router = useController<RouteValues, "routerHostID">({ name: "routerHostID" });
  return (
    <>
      <NameFields
        name={form.register("name", nameRules)}
        description={form.register("description", descriptionRules)}
        errors={form.formState.errors}
        isNew={isNew}
      />
      <HostPicker
        {...router.field}
        label="Router"
        none="No router"
        error={router.fieldState.error?.message}
        hint="The host that forwards traffic to these subnets. Without a router, the route is inactive."
      />
    </>
  );
}

/** The route in force while a new one is edited: it allows nothing. */
const unsavedRoute: RouteValues = { ...emptyRoute, routableCIDRs: [], firewallRules: [] };

/** A separate component, so that only changed subnets render the rules again. */
function RouteRules({ saved }: { saved: RouteValues }) {
  const [routableCIDRs, routerHostID] = useWatch<RouteValues, ["routableCIDRs", "routerHostID"]>({
    name: ["routableCIDRs", "routerHostID"],
  });
  return (
    <RulesEditor
      lead="Rules define the traffic that the router forwards to the subnets behind it."
      emptyText="No rules. The router forwards no traffic."
      subnets={subnetsOf({ routableCIDRs })}
      changes={{
        saved: { rules: saved.routerHostID === null ? [] : saved.firewallRules, subnets: subnetsOf(saved) },
        isInactive: routerHostID === null,
        scope: scopeOf(saved.routerHostID, routerHostID),
      }}
    />
  );
}

function scopeOf(savedRouterID: string | null, routerID: string | null): string {
  if (routerID === null) return "Without a router, no traffic is forwarded.";
  if (savedRouterID !== null && savedRouterID !== routerID)
    return "Applies to hosts with this route. All of their traffic moves to the new router.";
  return "Applies to hosts with this route.";
}

/** Shown after the server has asked for it, and while it is accepted. */
function AcceptWider({ reason }: { reason: string | undefined }) {
  const form = useFormContext<RouteValues>();
  const isAccepted = useWatch<RouteValues, "acceptWiderRules">({ name: "acceptWiderRules" });
  if (reason === undefined && !isAccepted) return null;
  return (
    <>
      {reason && <Notice tone="warn">{toSentence(reason)}</Notice>}
      <Checkbox
        {...form.register("acceptWiderRules")}
        label="Accept that this router allows more than the rules say"
        hint="With a Nebula version before 1.9, each rule also allows access to the router itself and to all subnets behind it."
      />
    </>
  );
}

const toSentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
