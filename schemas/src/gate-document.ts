/** The gate of agent manifests (`gate.yaml`): what no manifest may hold. An unknown field is an error. */
import { z } from 'zod';
import { described } from './described.ts';
import { RISK_LEVELS } from './risk.ts';

const IPV6 = /^\[[0-9A-Fa-f:.]+\]$/;
const NAME = /^(?:\*\.)?[^\s*:/\\?#@[\]%]+$/u;

/** A host, or `*.` and a host. A scheme, a port or a path would match nothing, so it is a fault. */
const domain = z
  .string()
  .max(255)
  .refine((text) => IPV6.test(text) || NAME.test(text), {
    error:
      'must be a host (api.example.com), or *. and a host for every name below it: without scheme, port and path',
  });

const MOST_DOMAINS = 10_000;

export const gateDocument = z
  .strictObject({
    allowed_domains: described(
      z.array(domain).max(MOST_DOMAINS).optional(),
      'The hosts that addresses in a manifest may have. `*.example.com` is every name below, not the name itself. Empty: none. Absent: any.',
      ['api.example.com', '*.corp.example'],
    ),
    max_risk_level: described(
      z.enum(RISK_LEVELS).optional(),
      'The highest risk level of a tool. With any value, tools without a risk level are refused. Absent: any.',
    ),
    require_auth_for_critical_tools: described(
      z.boolean().default(true),
      'Whether a manifest with a critical tool must say `requires_auth: true` in its metadata.',
      false,
    ),
    allow_inline_tools: described(z.boolean().default(true), 'Whether agents may have inline tools.', false),
    allow_custom_logic: described(
      z.boolean().default(false),
      'Whether a manifest may have logic steps, and skills with scripts.',
      true,
    ),
    strict_url_validation: described(
      z.boolean().default(true),
      'Whether hosts are compared in lower case, as ASCII (IDNA) and without a dot at the end. False: letter for letter.',
      false,
    ),
    allow_mcp_commands: described(
      z.boolean().default(false),
      'Whether tool packs may name commands that start servers.',
      true,
    ),
  })
  .meta({
    title: 'gate',
    description: 'What no agent manifest may hold. Publishing and running a manifest ask the gate.',
  });
export type GateDocument = z.output<typeof gateDocument>;
