/** The parts of the service that the routes need. */
import type { TenantControl } from '@mandate/control';
import type { FollowedControl } from '@mandate/control-log';
import type { MandateOfFile } from '@mandate/policy';
import type { RedactionRules } from '@mandate/privacy';
import type { Clock } from '@mandate/runtime';
import type { ApiKeyRecord } from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import type { ControlThread } from './thread/open-control-thread.ts';

export type FollowedMandates = {
  /** Each edit that comes into force raises it. It is 1 at the start of the process. */
  revision: number;
  inForceSinceMs: number;
  mandates: readonly Pick<MandateOfFile, 'reference' | 'agentGlobs'>[];
  /** The faults of a newer edit, which is not in force. */
  faults: readonly { line: number; column: number; path: string; message: string }[];
};

export type Control = {
  followed: Pick<FollowedControl, 'tenant' | 'tenants' | 'change' | 'changeAsWritten' | 'manifests'>;
  /** Returns the state of a tenant at a moment of the past. Null: it was not restored before the signal. */
  controlAt(of: { tenant: string; atMs: number; signal: AbortSignal }): Promise<TenantControl | null>;
  /** The thread for slow work on documents. */
  apart: ControlThread;
  clock: Clock;
  /** The mandates file that this process follows. Null: it follows none, as a control service that runs alone. */
  mandatesFile: (() => FollowedMandates) | null;
  /** Returns the tenant's keys that are in a file and not on the log, including revoked keys. */
  fileKeys(tenant: string): Promise<readonly ApiKeyRecord[]>;
  /** Returns what no agent manifest may hold. Null: everything is allowed. */
  gate(): GateDocument | null;
  /** Returns the redaction rules that a gateway applies now, before an action is decided. */
  redaction(): RedactionRules;
  /** Removes personal data from a text. */
  redactText(text: string): string;
};
