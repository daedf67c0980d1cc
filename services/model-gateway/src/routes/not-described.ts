/** /openapi.json describes no call in the protocol of a provider. The provider itself describes it. */
export const NOT_DESCRIBED = { hide: true } as const;
