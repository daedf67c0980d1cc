import { recordHttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import { controlAt, type OpenedControl } from '@mandate/control-log';
import { type PrivacyFile, type RedactedFields, redactPieces } from '@mandate/privacy';
import type { Clock } from '@mandate/runtime';
import type { FileKeyStore, HttpRoutes, ProcessParts } from '@mandate/server';
import { controlRoutes } from './app.ts';
import type { Control } from './control.ts';
import { makeTenantTopics } from './make-tenant-topics.ts';
import { measureExpiringKeys } from './measure-expiring-keys.ts';
import { openControlThread } from './thread/open-control-thread.ts';

/**
 * Opens the control service in a process that already follows the control topic.
 *
 * @param parts.redactText removes personal data from the reason of a change
 * @param parts.recordReads whether the log records who reads agents, policies and rules
 */
export function openControlService(
  parts: Pick<ProcessParts, 'log' | 'metrics' | 'closing'> &
    OpenedControl & {
      bus: Bus;
      fileKeys: FileKeyStore;
      privacy: Pick<PrivacyFile, 'privacy'>;
      fields: Pick<RedactedFields, 'redact' | 'hash'>;
      redactText(text: string): string;
      recordReads: boolean;
      /** Returns what no agent manifest may hold. Null: everything is allowed. */
      gate: Control['gate'];
      /** The mandates file that this process follows. Null: none. */
      mandatesFile: Control['mandatesFile'];
      clock: Clock;
    },
): { routes: HttpRoutes } {
  const {
    bus,
    followed,
    snapshots,
    fileKeys,
    privacy,
    fields,
    redactText,
    gate,
    mandatesFile,
    clock,
    log,
    metrics,
  } = parts;
  const { directTenants, revision } = followed;
  parts.closing(makeTenantTopics({ bus, log, directTenants }), (making) => making.stop());
  const apart = parts.closing(openControlThread({ bus, log, snapshots, revision }), (thread) =>
    thread.stop(),
  );
  const keys = async () => [...followed.allKeys(), ...(await fileKeys.list())];
  parts.closing(measureExpiringKeys({ metrics, log, clock, keys }), (measuring) => measuring.stop());
  const redaction = () => ({ redact: fields.redact, hash: fields.hash, document: privacy.privacy() });
  const reads = parts.recordReads
    ? recordHttpReads({ bus, source: 'control', clock, log, redactText: redactPieces })
    : null;
  const { ofTenant } = fileKeys;
  const past: Pick<Control, 'controlAt'> = { controlAt: (of) => controlAt(bus, of) };
  return {
    routes: controlRoutes(
      { followed, ...past, apart, clock, gate, mandatesFile, redaction, redactText, fileKeys: ofTenant },
      reads,
    ),
  };
}
