#include "report/document.h"

/* Colours are those of Okabe and Ito ("Color universal design", 2008), which readers with any kind of colour vision can
 * distinguish; the colours with the most contrast come first, and the dark page swaps the two blues. Text has a
 * contrast of at least 4.5 to its background. */
const char *const qn_report_style[] = {
    ":root{color-scheme:light dark;--bg:#fff;--ink:#1b1f24;--soft:#59636e;--rule:#d5dae0;--grid:#e8ebef;"
    "--tile:#f5f7f9;--link:#0b5c8f;--warn:#fdf3e4;--edge:#c2570c;"
    "--c0:#0072b2;--c1:#d55e00;--c2:#009e73;--c3:#e69f00;--c4:#cc79a7;--c5:#56b4e9;--c6:#4a4f55}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--bg:#14171b;--ink:#e6e9ec;--soft:#a2abb5;--rule:#39414a;"
    "--grid:#262c33;--tile:#1c2126;--link:#7cc4ef;--warn:#2b2217;--edge:#f0a04b;"
    "--c0:#56b4e9;--c1:#e8702a;--c2:#14b88a;--c3:#e69f00;--c4:#d68fb6;--c5:#f0e442;--c6:#b9c0c8}}\n",

    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
    "body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.6 system-ui,-apple-system,\"Segoe UI\",Roboto,"
    "\"Helvetica Neue\",\"Noto Sans\",\"Liberation Sans\",Arial,sans-serif}\n"
    "main,footer{max-width:1048px;margin:0 auto;padding:0 32px}\n"
    "main{padding-top:56px}\n"
    "h1{font-size:30px;line-height:1.25;font-weight:650;letter-spacing:-.012em;margin:0 0 "
    "12px;overflow-wrap:anywhere}\n"
    "h2{font-size:21px;line-height:1.3;font-weight:650;letter-spacing:-.006em;margin:60px 0 14px;padding-top:20px;"
    "border-top:1px solid var(--rule);overflow-wrap:anywhere}\n"
    "p{max-width:44em;margin:0 0 16px;overflow-wrap:anywhere}\n"
    "a{color:var(--link);text-decoration-thickness:1px;text-underline-offset:3px}\n"
    "nav{display:flex;flex-wrap:wrap;gap:4px 22px;margin:0 0 24px;font-size:14px}\n"
    "nav a{text-decoration:none}nav a:hover{text-decoration:underline}\n"
    "code,td.k{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",\"Liberation "
    "Mono\",monospace;"
    "font-size:.88em}\n"
    "code{background:var(--tile);border-radius:4px;padding:.12em .36em;-webkit-box-decoration-break:clone;"
    "box-decoration-break:clone}\n"
    ".warning{max-width:none;background:var(--warn);border-left:3px solid var(--edge);border-radius:0 4px 4px 0;"
    "padding:12px 18px;margin:20px 0}\n"
    ".warning code{background:none;padding:0}\n"
    ".warning strong{margin-right:.5em}\n"
    "footer{color:var(--soft);font-size:13px;padding-top:24px;padding-bottom:40px}\n",

    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));gap:10px;margin:22px 0 26px}\n"
    ".facts div{background:var(--tile);border-radius:6px;padding:13px 16px 14px}\n"
    ".facts dt{color:var(--soft);font-size:13px;line-height:1.4}\n"
    ".facts dd{margin:3px 0 0;font-size:21px;line-height:1.3;font-weight:600;font-variant-numeric:tabular-nums;"
    "overflow-wrap:anywhere}\n"
    ".facts dd.long{font-size:15px;line-height:1.45}\n",

    ".box{overflow:auto;max-height:640px;margin:20px 0 28px;border-top:1px solid var(--rule);"
    "border-bottom:1px solid var(--rule)}\n"
    ".box:focus-visible,th button:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:1px}\n"
    "table{border-collapse:separate;border-spacing:0;width:100%;font-size:14px;line-height:1.45;"
    "font-variant-numeric:tabular-nums lining-nums}\n"
    "th,td{padding:7px;text-align:left;vertical-align:baseline;border-bottom:1px solid var(--grid);"
    "white-space:nowrap}\n"
    "th:last-child,td:last-child{padding-right:16px}\n" /* room for the arrow of the sorted column */
    "td.v{white-space:normal;min-width:20em;overflow-wrap:anywhere}\n"
    "tr:last-child td{border-bottom:0}\n"
    "th{position:sticky;top:0;z-index:1;background:var(--bg);border-bottom:1px solid var(--rule);font-weight:600;"
    "white-space:normal;vertical-align:bottom;min-width:4.5em}\n"
    "tbody tr:hover td{background:var(--tile)}\n"
    ".n{text-align:right}\n"
    "td.none{color:var(--soft);text-align:center}\n"
    "th button{all:unset;cursor:pointer;position:relative}\n"
    "th button::after{content:\"\";position:absolute;top:.58em;right:-12px;border:3.5px solid transparent;opacity:0}\n"
    "th button:hover::after{opacity:.45;border-top-color:currentColor}\n"
    "th[aria-sort] button::after{opacity:1}\n"
    "th[aria-sort=descending] button::after{border-top-color:currentColor}\n"
    "th[aria-sort=ascending] button::after{top:.34em;border-top-color:transparent;border-bottom-color:currentColor}\n",

    /* Pictures of molecules are black on white, also in dark mode. */
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(176px,1fr));gap:12px;list-style:none;"
    "margin:20px 0 28px;padding:0}\n"
    ".wide{grid-template-columns:repeat(auto-fill,minmax(min(100%,440px),1fr))}\n"
    ".cards li{border:1px solid var(--rule);border-radius:6px;overflow:hidden;font-size:13px;line-height:1.45}\n"
    ".cards .marked{outline:2px solid var(--c0);outline-offset:-2px}\n"
    ".cards img{display:block;width:100%;aspect-ratio:4/3;object-fit:contain;background:#fff;padding:8px;"
    "border-bottom:1px solid var(--rule)}\n"
    ".cards b,.cards span{display:block;padding:0 11px;overflow-wrap:anywhere}\n"
    ".cards b{padding-top:7px;font-weight:650;font-size:14px}\n"
    ".cards span{padding-bottom:9px;color:var(--soft);font-variant-numeric:tabular-nums}\n",

    /* A row of three stays a row of three on a phone; two pictures are as large as they can be. */
    ".pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(31%,300px),1fr));gap:12px;"
    "list-style:none;margin:14px 0 0;padding:0;font-size:13px;line-height:1.45}\n"
    ".two{grid-template-columns:repeat(2,minmax(0,400px))}\n"
    ".pictures img{display:block;width:100%;height:auto;background:#000;border-radius:4px;margin-bottom:6px}\n"
    ".framed{position:relative}.length{position:absolute;left:7px;bottom:5px;border-bottom:3px solid #fff;color:#fff;"
    "font-style:normal;font-size:12px;line-height:1.5;white-space:nowrap;text-shadow:0 0 3px #000,0 0 3px #000}\n"
    ".pictures b,.pictures span{display:block;overflow-wrap:anywhere}\n"
    ".pictures b{font-weight:650;font-size:14px}.pictures span{color:var(--soft)}\n",

    ".scene .stage{position:relative;border:1px solid var(--rule);border-radius:6px;overflow:hidden}\n"
    ".scene canvas{display:block;width:100%;height:min(520px,78vw);cursor:grab;touch-action:none}\n"
    ".scene .paper{display:none}\n"
    ".scene canvas:focus-visible,.scene button:focus-visible{outline:2px solid var(--link);outline-offset:-2px}\n"
    ".scene .bar{position:absolute;left:14px;bottom:10px;border-top:3px solid var(--soft);color:var(--soft);"
    "font-size:13px;line-height:1.5;white-space:nowrap;pointer-events:none}\n"
    ".tools{display:flex;flex-wrap:wrap;gap:6px;margin:8px 0;align-items:center;font-size:14px}\n"
    ".tools button{font:inherit;color:inherit;background:var(--tile);border:1px solid var(--rule);border-radius:5px;"
    "min-width:36px;padding:4px 11px;cursor:pointer}\n"
    ".tools button[aria-pressed=true]{background:var(--link);border-color:var(--link);color:var(--bg)}\n"
    ".tools label{display:flex;gap:5px;align-items:center;margin-left:8px;padding:4px 0}\n"
    ".tools input[type=range]{width:min(220px,38vw);accent-color:var(--link)}\n"
    ".scene .note{margin:4px 0 0;color:var(--soft);font-size:14.5px}\n"
    "tr.choice{cursor:pointer}tbody tr.chosen td{background:var(--tile)}\n"
    "tr.chosen td:first-child{box-shadow:inset 3px 0 var(--link)}\n",

    ".drawing{overflow-x:auto}.drawing img{display:block;width:100%;min-width:620px;height:auto}\n"
    ".drawing.photo img{min-width:0;max-width:720px}\n"
    "figure{margin:30px 0 36px}\n"
    "figcaption{max-width:48em;margin:0 0 10px;color:var(--soft);font-size:14.5px;line-height:1.5;"
    "overflow-wrap:anywhere}\n"
    "figcaption b{display:block;color:var(--ink);font-size:16px;font-weight:650}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:3px 20px;list-style:none;margin:0 0 10px;padding:0;font-size:14px}\n"
    ".legend li{overflow-wrap:anywhere}\n"
    ".legend svg{display:inline-block;width:20px;height:12px;margin-right:6px;vertical-align:-1px}\n"
    "svg{display:block;width:100%;height:auto;overflow:visible}\n"
    "svg text{font-size:13px;fill:var(--soft);font-variant-numeric:tabular-nums lining-nums}\n"
    "svg .t{fill:var(--ink)}svg .e{text-anchor:end}svg .m{text-anchor:middle}\n"
    ".g{stroke:var(--grid);fill:none}.z{stroke:var(--soft);fill:none}\n"
    ".c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}"
    ".c6{--c:var(--c6)}\n"
    ".p{fill:var(--c)}.f{stroke:var(--bg);stroke-width:1}.p "
    "circle:hover{stroke:var(--ink);stroke-width:1.5;fill-opacity:1}\n"
    ".d{stroke:var(--c);fill:none;stroke-linecap:round}\n"
    ".l{stroke:var(--c);fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}\n"
    ".l circle{fill:var(--c);stroke:none}.l .h circle{opacity:0}.l .h circle:hover{opacity:1}\n"
    ".a{fill:var(--c);fill-opacity:.25;stroke:none}.o{stroke-width:1.5;stroke-opacity:.7}\n"
    ".b{fill:var(--c);stroke:var(--bg);stroke-width:.75}.b rect:hover{stroke:var(--ink)}\n"
    ".u{stroke:var(--soft);fill:none;stroke-dasharray:3 4}.i{image-rendering:pixelated}\n"
    ".s{stroke:var(--bg);stroke-width:5;fill:none}.s+.s{stroke:var(--ink);stroke-width:2}\n"
    ".r.p,.r.d{opacity:.5}.r.b{fill-opacity:.5}.r.l{stroke-dasharray:6 5}\n",

    "@media (max-width:640px){main,footer{padding-left:16px;padding-right:16px}main{padding-top:28px}"
    "h1{font-size:24px}h2{font-size:19px;margin-top:40px}"
    ".facts{grid-template-columns:repeat(auto-fit,minmax(132px,1fr));gap:8px}.facts div{padding:10px 12px 11px}"
    ".facts dd{font-size:18px}th,td{padding:7px 10px}.box{max-height:none}"
    "th:first-child,td:first-child{position:sticky;left:0;background:var(--bg);z-index:2}.tools button{min-height:36px}"
    "figure>svg text{font-size:23px}figure>svg "
    ".q{font-size:20px}.w{display:none}.g,.z{stroke-width:1.6}.l{stroke-width:3.5}"
    ".s{stroke-width:8}.s+.s{stroke-width:4}}\n"
    "@media print{@page{margin:18mm}body{font-size:10.5pt}main,footer{max-width:none;padding-left:0;padding-right:0}"
    "main{padding-top:0}h2{margin-top:28px}nav,.tools,.scene canvas,.scene .bar{display:none}.scene "
    ".paper{display:block;height:90mm;object-fit:contain}.box{max-height:none;overflow:visible}th{position:"
    "static}"
    "th,td{white-space:normal;padding:4px 8px}h2,figcaption{break-after:avoid}"
    "figure,tr,.facts div,.cards li,.warning{break-inside:avoid}"
    ".facts div,.warning,svg,code{print-color-adjust:exact;-webkit-print-color-adjust:exact}}\n",
    NULL};

/* Headers become buttons that sort their table; missing values stay at the end. Without scripts the table keeps its
 * original order. */
const char *const qn_report_script[] = {
    "for(const table of document.querySelectorAll(\"table\")){\n"
    "const body=table.tBodies[0],heads=[...table.querySelectorAll(\"th\")];\n"
    "heads.forEach((head,column)=>{\n"
    "const button=document.createElement(\"button\"),numeric=head.className===\"n\";\n"
    "button.append(...head.childNodes);head.append(button);\n"
    "button.addEventListener(\"click\",()=>{\n"
    "const down=head.getAttribute(\"aria-sort\")===\"ascending\",sign=down?-1:1;\n"
    "const rows=[...body.rows].map(row=>{const text=row.cells[column]?row.cells[column].textContent:\"\";\n"
    "return{row,key:numeric?parseFloat(text.replace(\"\\u2212\",\"-\")):text}});\n",
    "rows.sort((a,b)=>{\n"
    "if(!numeric)return sign*a.key.localeCompare(b.key,undefined,{numeric:true});\n"
    "const lost=(a.key!==a.key)-(b.key!==b.key);return lost||a.key!==a.key?lost:sign*(a.key-b.key)});\n"
    "heads.forEach(other=>other.removeAttribute(\"aria-sort\"));\n"
    "head.setAttribute(\"aria-sort\",down?\"descending\":\"ascending\");\n"
    "body.append(...rows.map(item=>item.row))})})}\n",
    NULL};
