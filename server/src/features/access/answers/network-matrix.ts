import { type AccessMatrix, type AccessNetwork, matrix } from "@lightkeeper/nebula/access";

const matrices = new WeakMap<AccessNetwork, AccessMatrix>();

/** Networks don't change, so each matrix is built once. */
export function matrixOf(network: AccessNetwork): AccessMatrix {
  const known = matrices.get(network) ?? matrix(network);
  matrices.set(network, known);
  return known;
}
