import type { Guarantee } from "@lightkeeper/contract";
import { Link } from "react-router";
import { guaranteePath } from "../references/guarantee-link.ts";
import { GuaranteeSentence } from "./guarantee-sentence.tsx";

interface GuaranteeLinkProps {
  guarantee: Guarantee;
  className?: string | undefined;
}

/** The sentence of a guarantee, linked to its page. */
export function GuaranteeLink({ guarantee, className }: GuaranteeLinkProps) {
  return (
    <Link to={guaranteePath(guarantee.id)} className={className}>
      <GuaranteeSentence {...guarantee} />
    </Link>
  );
}
