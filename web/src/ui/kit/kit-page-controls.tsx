import { Button, LinkButton } from "../controls/button.tsx";
import { Checkbox } from "../forms/checkbox.tsx";
import { CodeInput } from "../forms/code-input.tsx";
import { Field, NumberInput, Select, TextArea, TextInput } from "../forms/field.tsx";
import { IconButton } from "../controls/icon-button.tsx";
import * as icons from "../base/icons.tsx";
import styles from "./kit-page.module.css";
import type { MenuEntry } from "../overlays/menu-popup.tsx";
import { Menu } from "../overlays/menu.tsx";
import { RadioCard, RadioGroup } from "../forms/radio-group.tsx";
import { toast } from "../feedback/toast.ts";
import { Tooltip } from "../controls/tooltip.tsx";

const { EditIcon, MoreIcon, PlusIcon, TrashIcon } = icons;

const menuItems: MenuEntry[] = [
  { text: "someone@example.com" },
  "separator",
  { label: "Edit", icon: <EditIcon />, onSelect: () => toast("Edited") },
  { label: "A link", icon: <icons.ExternalIcon />, to: "#link" },
  { label: "Not now", disabled: true, onSelect: () => undefined },
  "separator",
  {
    label: "Delete",
    icon: <TrashIcon />,
    danger: true,
    onSelect: () => toast("Deleted", { tone: "danger" }),
  },
];

export function KitControls() {
  return (
    <>
      <Buttons />
      <Fields />
      <section className={styles.section} aria-label="Icons">
        <h2 className={styles.heading}>Icons</h2>
        <div className={styles.icons}>
          {Object.entries(icons).map(([name, Icon]) => (
            <Icon key={name} />
          ))}
        </div>
      </section>
    </>
  );
}

function Buttons() {
  return (
    <section className={styles.section} aria-label="Buttons">
      <h2 className={styles.heading}>Buttons, menus, tooltips</h2>
      <div className={styles.row}>
        <Button variant="primary" icon={<PlusIcon />}>
          Primary
        </Button>
        <Button>Default</Button>
        <Button variant="quiet">Quiet</Button>
        <Button variant="danger">Danger</Button>
        <LinkButton to="#link">Link</LinkButton>
        <Button disabled>Disabled</Button>
        <Button size="small">Small</Button>
        <Button size="large">Large</Button>
      </div>
      <div className={styles.row}>
        <Button variant="primary" pending>
          Primary, pending
        </Button>
        <Button pending>Default, pending</Button>
        <Button variant="danger" pending>
          Danger, pending
        </Button>
      </div>
      <div className={styles.row}>
        <IconButton label="Edit" icon={<EditIcon />} />
        <IconButton label="More" icon={<MoreIcon />} bordered />
        <IconButton label="Delete" icon={<TrashIcon />} size="small" />
        <IconButton label="Not now" icon={<TrashIcon />} disabled />
        <Menu trigger={<Button>Menu</Button>} items={menuItems} placement="bottom-start" />
        <Menu trigger={<IconButton label="Actions" icon={<MoreIcon />} />} items={menuItems} />
        <Tooltip text="Appears after half a second">
          <Button variant="quiet">With a tooltip</Button>
        </Tooltip>
      </div>
    </section>
  );
}

function Fields() {
  return (
    <section className={styles.section} aria-label="Fields">
      <h2 className={styles.heading}>Fields</h2>
      <div className={styles.grid}>
        <Field label="Name" hint="Must be unique.">
          <TextInput placeholder="production" />
        </Field>
        <Field label="Name" error="You already have one with this name, try another">
          <TextInput defaultValue="production" />
        </Field>
        <Field label="Address" optional>
          <TextInput mono defaultValue="100.100.0.21" />
        </Field>
        <Field label="Port" hint="Scrolling doesn’t change the value.">
          <NumberInput min={1} max={65535} defaultValue={4242} />
        </Field>
        <Field label="Read only">
          <TextInput readOnly defaultValue="cannot be changed" />
        </Field>
        <Field label="Disabled">
          <TextInput disabled defaultValue="not now" />
        </Field>
        <Field label="Time frame">
          <Select defaultValue="7d">
            <option value="24h">24 hours</option>
            <option value="7d">7 days</option>
          </Select>
        </Field>
        <Field label="Message">
          <TextArea placeholder="What happened?" />
        </Field>
        <Field label="Code" hint="Six digits from your authenticator app.">
          <CodeInput />
        </Field>
        <Field label="Code" error="That code didn‘t work, please try again.">
          <CodeInput defaultValue="123456" />
        </Field>
      </div>
      <Choices />
    </section>
  );
}

function Choices() {
  return (
    <>
      <div className={styles.grid}>
        <Checkbox label="Notify me" hint="Once a day at most." />
        <Checkbox label="Checked" defaultChecked />
        <Checkbox label="I’ve saved it" error="Confirm that you’ve saved it." />
        <Checkbox label="Disabled" disabled defaultChecked />
      </div>
      <RadioGroup label="Plan" hint="You can change it at any time.">
        <RadioCard
          name="plan"
          value="free"
          label="Free"
          aside="0 €"
          description="Up to 100."
          defaultChecked
        />
        <RadioCard
          name="plan"
          value="pro"
          label="Pro"
          aside="9 € a month"
          description="As many as you like."
        />
        <RadioCard name="plan" value="old" label="Old" aside="5 €" description="No longer sold." disabled />
      </RadioGroup>
      <RadioGroup label="Plan" error="Choose a plan.">
        <RadioCard name="plan-2" value="free" label="Free" />
        <RadioCard name="plan-2" value="pro" label="Pro" />
      </RadioGroup>
    </>
  );
}
