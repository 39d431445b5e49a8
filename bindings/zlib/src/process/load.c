/* Runs when libz.so.1 is loaded and unloaded. No other library has this file: a host that links the
 * crate has settings of its own. */

void pelton_z_load(void);
void pelton_z_unload(void);

__attribute__((constructor)) static void load(void) {
    pelton_z_load();
}

__attribute__((destructor)) static void unload(void) {
    pelton_z_unload();
}

/* A symbol by which the linker finds this file. */
const char pelton_z_is_library = 1;
