/**
 * Finds the addresses and the key that a command uses. An option overrides the environment, and the environment
 * overrides the profile. `--profile` overrides the whole environment. A profile's key is sent only to the addresses
 * of that profile. If another address is given, the profile is not used. If `--profile` is given too, the command is
 * refused.
 */
import { DEFAULT_URL } from '@mandate/client';
import { WrongUse } from '../exit-codes.ts';
import { ADDRESS_VARIABLES, type Addresses, type GlobalOptions } from '../global-options.ts';
import { DEFAULT_PROFILE, type Profile, type Profiles } from './profile-file.ts';

export type Connection = Addresses & { url: string; key: string };

const SERVICES = Object.keys(ADDRESS_VARIABLES) as (keyof Addresses)[];

/** @param profiles reads the profiles; called only if a profile may be needed */
export function findConnection(
  globals: GlobalOptions,
  env: Readonly<Record<string, string | undefined>>,
  profiles: () => Profiles,
): Connection {
  const own = globals.profile === undefined ? env : {};
  const given = givenAddresses(globals, own);
  const key = trimmed(globals.key) ?? trimmed(own.MANDATE_API_KEY);
  const named = globals.profile ?? (env.MANDATE_PROFILE || undefined);
  const needsProfile = named !== undefined || key === undefined || given.url === undefined;
  const stored = needsProfile ? profiles() : {};
  const name = named ?? DEFAULT_PROFILE;
  const profile = stored[name];
  if (profile === undefined && named !== undefined)
    throw new WrongUse(
      `there is no profile ${name}`,
      '`mandate profiles` lists them; `mandate login` adds one.',
    );
  const other =
    profile && SERVICES.find((service) => (given[service] ?? profile[service]) !== profile[service]);
  if (other !== undefined && globals.profile !== undefined)
    throw new WrongUse(
      `${given[other]} is not an address of the profile ${name}`,
      'Leave out --profile, or the address.',
    );
  const used: Partial<Profile> = other === undefined ? (profile ?? {}) : {};
  const { key: storedKey = '', ...addresses } = used;
  return {
    ...addresses,
    ...given,
    url: given.url ?? addresses.url ?? addressOf(DEFAULT_URL),
    key: key ?? storedKey,
  };
}

export function givenAddresses(
  globals: GlobalOptions,
  env: Readonly<Record<string, string | undefined>>,
): Addresses {
  const given = SERVICES.flatMap((service) => {
    const text = globals[service] ?? (env[ADDRESS_VARIABLES[service]] || undefined);
    return text === undefined ? [] : [[service, addressOf(text)] as const];
  });
  return Object.fromEntries(given);
}

function trimmed(text: string | undefined): string | undefined {
  return text?.trim() || undefined;
}

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href.replace(/\/$/, '');
  throw new WrongUse(`${text} is not the address of a plane`, `Give it as ${DEFAULT_URL}.`);
}
