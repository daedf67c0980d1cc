import { sha256Hex } from '@mandate/policy';
import { shapeOfControlRecords } from '@mandate/schemas';
import { CONTROL_SNAPSHOT_VERSION, type ControlHead } from './control-line.ts';

type Kind = Pick<ControlHead, 'version' | 'shape'>;

let known: Kind | null = null;

/** The kind of the snapshots that this build writes, and of the only ones that it reads. */
export function kindOfSnapshot(): Kind {
  known ??= { version: CONTROL_SNAPSHOT_VERSION, shape: sha256Hex(shapeOfControlRecords()) };
  return known;
}
