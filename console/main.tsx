import { render } from 'preact';
import { App } from './app/app.js';
import { openSession } from './app/session.js';

void openSession();
const place = document.getElementById('console')!;
place.replaceChildren();
render(<App />, place);
