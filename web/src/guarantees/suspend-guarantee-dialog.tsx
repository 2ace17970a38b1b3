import { SUSPENSION_DAYS_MAX, suspendGuarantee, type Guarantee } from "@lightkeeper/contract";
import { DESCRIPTION_LENGTH_MAX } from "@lightkeeper/contract/limits";
import { useForm, type UseFormReturn } from "react-hook-form";
import { DialogForm } from "../forms/dialog-form.tsx";
import type { Rule } from "../lib/messages.ts";
import { useWrite } from "../lib/query.ts";
import { Field, TextInput } from "../ui/forms/field.tsx";
import { toast } from "../ui/feedback/toast.ts";
import { useSentenceText } from "./guarantee-sentence.tsx";
import { dayAfter, endOfDay, formatDay } from "./suspension-days.ts";

interface SuspendGuaranteeDialogProps {
  guarantee: Guarantee;
  onClose: () => void;
}

interface SuspendValues {
  reason: string;
  /** A day such as 2026-11-20. */
  until: string;
}

const DEFAULT_DAYS = 7;
/** The suspension lasts until the end of a day, so the last full day is one earlier. */
const LAST_DAY = SUSPENSION_DAYS_MAX - 1;

const untilInvalid: Rule = {
  path: "until",
  codes: ["ERR_INVALID_VALUE"],
  message: `Choose a date in the next ${SUSPENSION_DAYS_MAX} days.`,
};

/** The default export is for `lazy()`. */
export default function SuspendGuaranteeDialog({ guarantee, onClose }: SuspendGuaranteeDialogProps) {
  const form = useForm<SuspendValues>({ defaultValues: { reason: "", until: dayAfter(DEFAULT_DAYS) } });
  const { mutateAsync: suspend } = useWrite(suspendGuarantee);
  const sentence = useSentenceText(guarantee);

  async function save({ reason, until }: SuspendValues) {
    await suspend({
      params: { guaranteeID: guarantee.id },
      body: { reason: reason.trim(), until: endOfDay(until) },
    });
    toast(`Guarantee suspended until ${formatDay(until)}`, { tone: "ok" });
    onClose();
  }

  return (
    <DialogForm
      form={form}
      title="Suspend guarantee"
      description={`${sentence}. While the guarantee is suspended, changes that break it aren’t rejected.`}
      submitLabel="Suspend"
      save={save}
      rules={[untilInvalid]}
      onClose={onClose}
    >
      <SuspendFields form={form} />
    </DialogForm>
  );
}

function SuspendFields({ form }: { form: UseFormReturn<SuspendValues> }) {
  const { errors } = form.formState;
  const [first, last] = [dayAfter(0), dayAfter(LAST_DAY)];
  return (
    <>
      <Field label="Reason" hint="Shown in the list and in the audit log." error={errors.reason?.message}>
        <TextInput
          {...form.register("reason", {
            validate: (reason) =>
              (reason.trim() !== "" && reason.trim().length <= DESCRIPTION_LENGTH_MAX) ||
              `Enter a reason (up to ${DESCRIPTION_LENGTH_MAX} characters).`,
          })}
          autoComplete="off"
          autoFocus
          dir="auto"
        />
      </Field>
      <Field
        label="Until the end of"
        hint={`Up to ${SUSPENSION_DAYS_MAX} days. The guarantee resumes automatically.`}
        error={errors.until?.message}
      >
        <TextInput
          {...form.register("until", {
            validate: (until) => (until >= first && until <= last) || String(untilInvalid.message),
          })}
          type="date"
          min={first}
          max={last}
        />
      </Field>
    </>
  );
}
