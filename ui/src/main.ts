// Starts the interface in whichever host shows this page.
import "~/theme/fonts.css";
import "~/theme/tokens.css";
import "~/theme/base.css";
import { choosePlatform } from "~/platform/choose";
import { start } from "./start";

start(await choosePlatform());
