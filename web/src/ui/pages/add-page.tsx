import type { ReactNode } from "react";
import { Breadcrumb, type Crumb } from "./breadcrumb.tsx";
import { Card } from "./card.tsx";
import { EditorPage, FormPage } from "./form-page.tsx";
import { PageHeader } from "./page-header.tsx";

interface AddPageProps {
  crumbs: readonly Crumb[];
  /** "Add role" */
  title: string;
  lead: string;
  /** The form shows a panel beside itself. */
  hasAside?: boolean | undefined;
  /** The form. */
  children: ReactNode;
}

/** A page that creates an object. */
export function AddPage({ crumbs, title, lead, hasAside = false, children }: AddPageProps) {
  const header = <PageHeader breadcrumb={<Breadcrumb crumbs={crumbs} />} title={title} lead={lead} />;
  const card = <Card>{children}</Card>;
  if (hasAside) return <EditorPage header={header}>{card}</EditorPage>;
  return (
    <FormPage>
      {header}
      {card}
    </FormPage>
  );
}
