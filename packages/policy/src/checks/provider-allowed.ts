import type { ListedNames } from '../models/call-names.ts';
import type { KnownCall } from '../models/known-call.ts';
import { blocked, type Finding, passed, type StaticCheck } from './check.ts';

const CHECK = 'provider-allowed';
const CODE = 'PROVIDER_NOT_ALLOWED';

/**
 * Every provider of a call must be allowed, and none may be denied. A call that names no provider is refused, unless
 * every provider is allowed. Otherwise a call could avoid these lists by naming no provider.
 */
export const providerAllowed: StaticCheck = ({ judgedAs, policy: { allowedProviders, deniedProviders } }) => {
  if (judgedAs !== 'model' || (allowedProviders === null && deniedProviders === null)) return null;
  return ({ call }) => {
    const { providers } = call as KnownCall;
    if (providers.length === 0) {
      const any = deniedProviders === null ? (allowedProviders?.match(NOBODY) ?? null) : null;
      return any === null ? unknown() : passed(CHECK, { provider: null, pattern: any });
    }
    for (const names of providers) {
      const pattern = deniedProviders?.match(names.denied) ?? null;
      if (pattern !== null) return denied(nameOf(names), pattern);
    }
    if (allowedProviders === null) return passed(CHECK, { provider: nameOf(providers[0]) });
    let pattern: string | null = null;
    for (const names of providers) {
      pattern = allowedProviders.match(names.allowed);
      if (pattern === null) return notAllowed(nameOf(names));
    }
    return passed(CHECK, { provider: nameOf(providers[0]), pattern });
  };
};

/** An unknown provider, as an empty name. Only a pattern that consists of stars matches this name. */
const NOBODY = [''];

function nameOf(names: ListedNames | undefined): string {
  return names?.allowed[0] ?? '';
}

function unknown(): Finding {
  return blocked(
    CHECK,
    { provider: null },
    {
      code: CODE,
      reason: 'The call does not say which provider it goes to, and not every provider is allowed.',
      remedy: 'State the provider.',
    },
  );
}

function denied(provider: string, pattern: string): Finding {
  return blocked(
    CHECK,
    { provider, pattern },
    {
      code: CODE,
      reason: `The provider "${provider}" is denied by "${pattern}".`,
      remedy: 'Use another provider. Only a change of deniedProviders can allow this one.',
    },
  );
}

function notAllowed(provider: string): Finding {
  return blocked(
    CHECK,
    { provider },
    {
      code: CODE,
      reason: `No pattern of allowedProviders matches the provider "${provider}".`,
      remedy: 'Use an allowed provider, or ask for this one to be added to allowedProviders.',
    },
  );
}
