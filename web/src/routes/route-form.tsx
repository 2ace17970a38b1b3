import { RouteCreate } from "@lightkeeper/contract";
import { useState } from "react";
import { FormProvider, useController, useForm, useFormContext, useWatch } from "react-hook-form";
import { HostPicker } from "../references/host-picker.tsx";
import { EditForm } from "../lib/edit-form.tsx";
import { findEntry } from "../lib/errors.ts";
import { referenceGone, routeNameTaken } from "../lib/messages.ts";
import { RulesEditor } from "../rules/rules-editor.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { Field, TextArea, TextInput } from "../ui/forms/field.tsx";
import { FormSection } from "../ui/pages/form-page.tsx";
import { Notice } from "../ui/feedback/notice.tsx";
import { CidrList } from "./cidr-list.tsx";
import { ROUTES_PATH } from "../references/route-link.tsx";
import { emptyRoute, networksOf, placeRouteErrors, type RouteValues } from "./route-values.ts";

interface RouteFormProps {
  /** As last heard from the server; without it the form makes a new one. */
  latest?: RouteValues;
  submitLabel: string;
  save: (values: RouteValues) => Promise<unknown>;
}

export function RouteForm({ latest, submitLabel, save }: RouteFormProps) {
  const form = useForm<RouteValues>({ defaultValues: latest ?? emptyRoute });
  const [wider, setWider] = useState<string>();

  async function saveOrExplain(values: RouteValues) {
    try {
      await save(values);
    } catch (error) {
      setWider(findEntry(error, "ERR_RULES_WIDER")?.message);
      throw placeRouteErrors(error, values);
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
        <CidrList />
        <FormSection title="Rules">
          <RouteRules saved={latest ?? nothingYet} />
        </FormSection>
        <AcceptWider reason={wider} />
      </EditForm>
    </FormProvider>
  );
}

/** The reason stands with the box that accepts it. */
const widerRules = { codes: ["ERR_RULES_WIDER"], message: "This router would open more than the rules say." };

const refusedBy = (field: "name" | "description", message: string) => ({
  validate: (value: string) => RouteCreate.shape[field].safeParse(value).success || message,
});
const nameRules = refusedBy("name", "Enter a name (up to 50 characters).");
const descriptionRules = refusedBy("description", "255 characters at most.");

function RouteFields({ isNew }: { isNew: boolean }) {
  const form = useFormContext<RouteValues>();
  const router = useController<RouteValues, "routerHostID">({ name: "routerHostID" });
  const { errors } = form.formState;
  return (
    <>
      <Field label="Name" error={errors.name?.message}>
        <TextInput {...form.register("name", nameRules)} autoComplete="off" autoFocus={isNew} dir="auto" />
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        <TextArea {...form.register("description", descriptionRules)} rows={2} dir="auto" />
      </Field>
      <HostPicker
        {...router.field}
        label="Router"
        none="No router"
        error={router.fieldState.error?.message}
        hint="The host that stands in both worlds and forwards between them. Without one the route leads nowhere."
      />
    </>
  );
}

/** Before it is saved, a route lets nothing through. */
const nothingYet: RouteValues = { ...emptyRoute, routableCIDRs: [], firewallRules: [] };

/** Apart, so that only networks that change draw the rules anew. */
function RouteRules({ saved }: { saved: RouteValues }) {
  const [routableCIDRs, routerHostID] = useWatch<RouteValues, ["routableCIDRs", "routerHostID"]>({
    name: ["routableCIDRs", "routerHostID"],
  });
  return (
    <RulesEditor
      lead="What may pass through the router to the networks behind it."
      none="No rules: nothing passes."
      networks={networksOf({ routableCIDRs })}
      changes={{
        saved: { rules: saved.routerHostID === null ? [] : saved.firewallRules, networks: networksOf(saved) },
        isClosed: routerHostID === null,
        scope: scopeOf(saved.routerHostID, routerHostID),
      }}
    />
  );
}

function scopeOf(before: string | null, now: string | null): string {
  if (now === null) return "Without a router nothing passes.";
  if (before !== null && before !== now)
    return "For hosts that get the route, all of it through another router.";
  return "For hosts that get the route, through its router.";
}

/** Shown once the server has refused for it, and for as long as it is accepted. */
function AcceptWider({ reason }: { reason: string | undefined }) {
  const form = useFormContext<RouteValues>();
  const isAccepted = useWatch<RouteValues, "acceptWiderRules">({ name: "acceptWiderRules" });
  if (reason === undefined && !isAccepted) return null;
  return (
    <>
      {reason && <Notice tone="warn">{sentence(reason)}</Notice>}
      <Checkbox
        {...form.register("acceptWiderRules")}
        label="Accept that this router's rules open more than they say"
        hint="Until its Nebula is 1.9 or newer, each of its rules opens the router itself and every network behind it."
      />
    </>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
