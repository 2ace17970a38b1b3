import { useId, useRef, type ClipboardEvent } from "react";
import { useFieldArray, useFormContext } from "react-hook-form";
import { Button } from "../ui/controls/button.tsx";
import { Checkbox } from "../ui/forms/checkbox.tsx";
import { FieldDescription, TextInput } from "../ui/forms/field.tsx";
import { IconButton } from "../ui/controls/icon-button.tsx";
import { CloseIcon, PlusIcon } from "../ui/base/icons.tsx";
import { subnetProblem, subnetsOf, newSubnet, type RouteValues } from "./route-values.ts";
import styles from "./routes.module.css";

/** The subnets behind the router, one per line. A pasted list becomes lines. */
export function SubnetList() {
  const form = useFormContext<RouteValues>();
  const { fields, append, insert, remove } = useFieldArray<RouteValues, "routableCIDRs">({
    name: "routableCIDRs",
  });
  const addButton = useRef<HTMLButtonElement>(null);
  const { errors } = form.formState;

  function paste(event: ClipboardEvent<HTMLInputElement>, index: number) {
    const [first, ...rest] = splitList(event.clipboardData.getData("text"));
    if (first === undefined || rest.length === 0) return;
    event.preventDefault();
    form.setValue(`routableCIDRs.${index}.cidr`, first, { shouldDirty: true });
    const lines = rest.map((cidr) => ({ ...newSubnet, cidr }));
    insert(index + 1, lines, { shouldFocus: false });
  }
  function removeLine(index: number) {
    remove(index);
    addButton.current?.focus();
  }

  return (
    <fieldset className={styles.subnets}>
      <legend className={styles.legend}>Subnets</legend>
      {fields.map(({ id }, index) => (
        <div key={id} className={styles.subnet}>
          <SubnetField index={index} onPaste={(event) => paste(event, index)} />
          <Checkbox {...form.register(`routableCIDRs.${index}.install`)} label="Install" />
          <RemoveButton index={index} onClick={() => removeLine(index)} />
        </div>
      ))}
      <FieldDescription
        id={undefined}
        hint="IPv4 and IPv6 subnets behind the router. A host uses a subnet only if it and the router have overlay addresses of the same family. “Install” adds the route to each host’s routing table."
        error={errors.routableCIDRs?.root?.message ?? errors.routableCIDRs?.message}
      />
      <div>
        <Button
          ref={addButton}
          size="small"
          icon={<PlusIcon />}
          onClick={() => append(newSubnet, { focusName: `routableCIDRs.${fields.length}.cidr` })}
        >
          Add subnet
        </Button>
      </div>
    </fieldset>
  );
}

const splitList = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

function RemoveButton({ index, onClick }: { index: number; onClick: () => void }) {
  return <IconButton label={`Remove subnet ${index + 1}`} icon={<CloseIcon />} onClick={onClick} />;
}

interface SubnetFieldProps {
  index: number;
  onPaste: (event: ClipboardEvent<HTMLInputElement>) => void;
}

function SubnetField({ index, onPaste }: SubnetFieldProps) {
  const form = useFormContext<RouteValues>();
  const registration = form.register(`routableCIDRs.${index}.cidr`, {
    validate: (text, { routableCIDRs }) =>
      subnetProblem(text, subnetsOf({ routableCIDRs: routableCIDRs.slice(0, index) })) ?? true,
  });
  const id = useId();
  const error = form.formState.errors.routableCIDRs?.[index]?.cidr?.message;
  return (
    <div className={styles.subnetField}>
      <TextInput
        {...registration}
        onPaste={onPaste}
        mono
        aria-label={`Subnet ${index + 1}`}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="192.168.4.0/24"
      />
      <FieldDescription id={id} error={error} />
    </div>
  );
}
