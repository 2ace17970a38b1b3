import type { ReactNode } from "react";
import { Breadcrumb, type Crumb } from "./breadcrumb.tsx";
import { Card } from "./card.tsx";
import { FormPage } from "./form-page.tsx";
import { PageHeader } from "./page-header.tsx";

interface AddPageProps {
  crumbs: readonly Crumb[];
  /** "Add role" */
  title: string;
  lead: string;
  /** The form. */
  children: ReactNode;
}

/** A page that creates an object. */
export function AddPage({ crumbs, title, lead, children }: AddPageProps) {
  return (
    <FormPage>
      <PageHeader breadcrumb={<Breadcrumb crumbs={crumbs} />} title={title} lead={lead} />
      <Card>{children}</Card>
    </FormPage>
  );
}
