// Signals are heard before anything else is loaded.
import './early-stop.js';
import './engine-flags.js';

await import('./serve.js');
