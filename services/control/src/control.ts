/** What the routes need. */
import type { FollowedControl } from '@mandate/control-log';
import type { RedactionRules } from '@mandate/privacy';
import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { ControlThread } from './thread/open-control-thread.ts';

export type Control = {
  followed: Pick<FollowedControl, 'tenant' | 'tenants' | 'change'>;
  /** The thread for long work on documents. */
  apart: ControlThread;
  clock: Clock;
  /** The tenant's keys that are in a file and not on the log, including revoked ones. */
  fileKeys(tenant: string): Promise<readonly ApiKeyRecord[]>;
  /** The redaction rules that a gateway applies now, before an action is decided. */
  redaction(): RedactionRules;
  /** Removes personal data from a text. */
  redactText(text: string): string;
};
