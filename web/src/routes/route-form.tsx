import { RouteCreate } from "@lightkeeper/contract";
import { useState } from "react";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { HostPicker } from "../pickers/host-picker.tsx";
import { EditForm } from "../forms/edit-form.tsx";
import { NameFields, validateWith } from "../forms/name-fields.tsx";
import { descriptionMessage, nameMessage } from "../forms/length-messages.ts";
import { findEntry } from "../lib/errors.ts";
import { referenceGone, routeNameTaken } from "../lib/messages.ts";
import { FormPreview, useFormPreview } from "../preview/access-preview.tsx";
import type { PreviewMutations } from "../preview/preview-values.ts";
import { withCompleteRules } from "../rules/rule-values.ts";
import { RuleChangesPreview } from "../rules/rule-changes-preview.tsx";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { RulesNotePreview } from "../rules/rules-note-preview.tsx";
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
  /** The call that saves the values, for the preview. */
  toMutations: (values: RouteValues) => PreviewMutations;
  save: (values: RouteValues) => Promise<unknown>;
}

export function RouteForm({ latest, submitLabel, toMutations, save }: RouteFormProps) {
  const form = useForm<RouteValues>({ defaultValues: latest ?? emptyRoute });
  const preview = useFormPreview({
    form,
    toMutations: (values) => toMutations(withCompleteRules(values)),
    nameOf: ({ name }) => name,
    rules,
  });
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
        save={(values) => preview.save(values, () => saveOrExplain(values))}
        rules={rules}
        submitLabel={submitLabel}
        cancelTo={ROUTES_PATH}
      >
        <RouteFields isNew={!latest} />
        <SubnetList />
        <FormSection title="Rules">
          <RouteRules isNew={!latest} />
        </FormSection>
        <AcceptWider reason={widerReason} />
        <FormPreview
          {...preview.props}
          summary={latest && <RuleChangesPreview />}
          note={<RouteNote savedRouterID={latest?.routerHostID ?? null} />}
        />
      </EditForm>
    </FormProvider>
  );
}

/** The reason is shown with the checkbox that accepts it. */
const widerRules = {
  codes: ["ERR_RULES_WIDER"],
  message: "This router would allow more than the rules say.",
};

const rules = [routeNameTaken, referenceGone, widerRules];

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

/** A separate component, so that only changed subnets render the rules again. */
function RouteRules({ isNew }: { isNew: boolean }) {
  const routableCIDRs = useWatch<RouteValues, "routableCIDRs">({ name: "routableCIDRs" });
  return (
    <RulesEditor
      owner="route"
      isNew={isNew}
      lead="Rules define the traffic that the router forwards to the subnets behind it."
      emptyText="No rules. The router forwards no traffic."
      subnets={subnetsOf({ routableCIDRs })}
    />
  );
}

function RouteNote({ savedRouterID }: { savedRouterID: string | null }) {
  const routerID = useWatch<RouteValues, "routerHostID">({ name: "routerHostID" });
  return <RulesNotePreview scope={scopeOf(savedRouterID, routerID)} />;
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
