import { wholeNumber } from '../../shared/http/maxima.js';
import { object, oneOf, optional, text, variant } from '../../shared/http/schema.js';

const environment = variant('type', {
  container_auto: {},
  container_reference: {
    container_id: text({
      pattern: '^[\\w-]{1,20}$',
      reason: 'must be 1 to 20 letters, digits, underscores or hyphens',
    }),
  },
});

const SLEEP_SECONDS_MAX = 2_592_000;
const session = {
  environment: optional(environment),
  sleep_after_seconds: optional(wholeNumber({ max: SLEEP_SECONDS_MAX })),
};

export const bashParameters = object({ engine: optional(oneOf(['auto', 'native', 'openrouter'])), ...session });
export const shellParameters = object({ engine: optional(oneOf(['auto', 'openrouter'])), ...session });
