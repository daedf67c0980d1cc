/** The errors for agent manifests that cannot be used, and for a gate. */
import {
  type AgentManifestFault,
  type CompileRefusal,
  type GateFault,
  loadGate,
} from '@mandate/agent-manifest';
import { readNamedFile } from '@mandate/runtime';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import { badDocuments, type DocumentsInvalid, ofManifest } from '../documents-invalid.ts';
import { placesInManifest } from './place-in-manifest.ts';

/** The error for a manifest with faults. */
export function manifestInvalid(faults: readonly AgentManifestFault[]): DocumentsInvalid {
  return badDocuments(faults.map(ofManifest));
}

/** The error for a manifest that cannot be compiled. A refusal about an option has no place in the file. */
export function compileRefused(file: string, refusals: readonly CompileRefusal[]): DocumentsInvalid {
  const placeOf = placesInManifest(file);
  return badDocuments(refusals.map((refusal) => ofManifest({ file, ...placeOf(refusal.path), ...refusal })));
}

/** @throws DocumentsInvalid if the gate has a fault, MandateError FILE_UNREADABLE if it cannot be read */
export function readGateFile(file: string): GateDocument {
  const read = loadGate(readNamedFile(file));
  if (read.ok) return read.gate;
  throw badDocuments(read.faults.map((fault: GateFault) => ofManifest({ file, ...fault })));
}
