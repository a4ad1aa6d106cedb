// d3 comes wrapped for a module loader of its carrier: this is as much of one as it needs.
"use strict";
window.require = { defined: () => false };
window.define = (_name, _needs, make) => { window.d3 = {}; make(window.d3); };
