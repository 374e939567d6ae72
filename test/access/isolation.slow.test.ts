import { testIsolation } from "./isolation.js";

testIsolation(["manager", "technician"]);
