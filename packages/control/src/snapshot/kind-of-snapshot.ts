import { sha256Hex } from '@mandate/policy';
import { shapeOfControlRecords } from '@mandate/schemas';
import { CONTROL_SNAPSHOT_VERSION, type ControlHead } from './control-line.ts';

type Kind = Pick<ControlHead, 'version' | 'shape'>;

let known: Kind | null = null;

/** Returns the kind of the snapshots that this build writes. This build reads no other kind. */
export function kindOfSnapshot(): Kind {
  known ??= { version: CONTROL_SNAPSHOT_VERSION, shape: sha256Hex(shapeOfControlRecords()) };
  return known;
}
