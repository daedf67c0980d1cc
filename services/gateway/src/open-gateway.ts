import type { Bus } from '@mandate/bus';
import { agentRegister, mandatesByRegister } from '@mandate/control';
import type { FollowedControl } from '@mandate/control-log';
import { type Ledger, openKillBroadcast } from '@mandate/ledger';
import {
  budgetsInForce,
  fingerprintOf,
  governedRedaction,
  type MandateOfFile,
  mandatesOfFile,
  permittedTools,
} from '@mandate/policy';
import {
  currentRedactor,
  currentTextRedactor,
  type PrivacyFile,
  personKeysAt,
  type RedactedFields,
  sealOnlyRedactor,
  sealsAnything,
} from '@mandate/privacy';
import type { Clock, DataFolder } from '@mandate/runtime';
import type { RedisSettings } from '@mandate/runtime/settings';
import type { ProcessParts } from '@mandate/server';
import { createGateway, type GatewaySettings, type RunnableGateway } from './app.ts';
import type { GatewayDependencies } from './gateway.ts';

type Settings = GatewaySettings & RedisSettings & { readonly GATEWAY_PERSON_KEYS_PATH?: string | undefined };

/** Opens the gateway of a process, and follows the log from then on. The caller adds its routes to a server. */
export async function openGateway(
  config: Settings,
  parts: ProcessParts & {
    bus: Bus;
    folder: DataFolder;
    followed: FollowedControl;
    privacy: PrivacyFile;
    fields: RedactedFields;
    /** The secret of the data folder. It is the key for the fingerprints of redacted values. */
    secret: string;
    clock: Clock;
    /** The ledger. Null if another process has the ledger. */
    ledger: Ledger | null;
    findDecision: GatewayDependencies['findDecision'];
    findUsage?: GatewayDependencies['findUsage'];
    /** Returns the mandates of a file. Absent if the decider runs in another process. */
    mandatesOfFile?: () => readonly MandateOfFile[];
  },
): Promise<Pick<RunnableGateway, 'routes' | 'readiness'>> {
  const { folder, followed, privacy, fields, secret, log, closing, running } = parts;
  const personKeys = personKeysAt(config.GATEWAY_PERSON_KEYS_PATH ?? folder.personKeys);
  const kills = closing(await openKillBroadcast(config, log), (held) => held.close());
  const seal = sealOnlyRedactor(privacy, personKeys);
  const inForce = () => {
    const ofFile = mandatesOfFile(parts.mandatesOfFile?.() ?? [], 0);
    return mandatesByRegister(followed.mandates, ofFile);
  };
  const gateway = createGateway(
    {
      bus: parts.bus,
      ledger: parts.ledger,
      ancestryOf: followed.mandates.ancestryOf,
      controlRevision: followed.revision,
      register: agentRegister(followed.tenant, parts.mandatesOfFile),
      quotas: followed.mandates.quotas,
      isClosed: followed.mandates.isClosed,
      forbidsOwnApproval: followed.mandates.forbidsOwnApproval,
      isOfTenantLimits: followed.mandates.isOfTenantLimits,
      kills,
      findDecision: parts.findDecision,
      findUsage: parts.findUsage,
      budgetsOf: (tenant, agentId) => budgetsInForce(inForce(), tenant, agentId, parts.clock()),
      permits(tenant, caller, tools) {
        // Another process may have a mandates file that names the agent.
        const isElsewhere =
          parts.mandatesOfFile === undefined && followed.mandates.isUnknown(tenant, caller.agentId);
        if (isElsewhere) return tools.map(() => null);
        return permittedTools(inForce(), tenant, caller, tools, parts.clock());
      },
      redact: currentRedactor(privacy, {
        redact: governedRedaction(fields, followed.mandates.sensitiveFields),
        hashKey: fields.hashKey,
        sealer: personKeys,
      }),
      fingerprint: (original, redacted, tenant) => fingerprintOf(seal(original, tenant), redacted, secret),
      redactText: currentTextRedactor(privacy),
      personKeys,
      sealsPersons: () => sealsAnything(privacy.privacy()),
      onPrivacyEdit: privacy.onEdit,
      log,
      metrics: parts.metrics,
      clock: parts.clock,
    },
    config,
  );
  running(await gateway.start());
  return gateway;
}
