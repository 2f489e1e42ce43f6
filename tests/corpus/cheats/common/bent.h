// Bends a function of a shared library to another one, in the tables of the objects that call it.
#pragma once
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include <utility>

struct Bend {
  const char* name;
  void* to;
  const char* object;
};

inline int bend_object(dl_phdr_info* object, size_t, void* data) {
  const Bend& bend = *(const Bend*)data;
  if (!strstr(object->dlpi_name, bend.object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = (const ElfW(Dyn)*)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    const ElfW(Rela) *jumps = nullptr, *others = nullptr;
    const ElfW(Sym)* symbols = nullptr;
    const char* names = nullptr;
    size_t jump_bytes = 0, other_bytes = 0;
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_JMPREL) jumps = (const ElfW(Rela)*)entry->d_un.d_ptr;
      if (entry->d_tag == DT_PLTRELSZ) jump_bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_RELA) others = (const ElfW(Rela)*)entry->d_un.d_ptr;
      if (entry->d_tag == DT_RELASZ) other_bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym)*)entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRTAB) names = (const char*)entry->d_un.d_ptr;
    }
    // The kernel's own object has addresses that are not relocated.
    if (!symbols || !names || (size_t)names < object->dlpi_addr) continue;
    for (const auto& [list, bytes] : {std::pair(jumps, jump_bytes), std::pair(others, other_bytes)})
      for (size_t r = 0; list && r < bytes / sizeof *list; r++) {
        if (strcmp(names + symbols[ELF64_R_SYM(list[r].r_info)].st_name, bend.name)) continue;
        void** const slot = (void**)(object->dlpi_addr + list[r].r_offset);
        mprotect((void*)((size_t)slot & ~4095ul), 4096, PROT_READ | PROT_WRITE);
        *slot = bend.to;
      }
  }
  return 0;
}

// In objects whose path has `object` in it.
inline void bend(const char* name, void* to, const char* object = "") {
  Bend what{name, to, object};
  dl_iterate_phdr(bend_object, &what);
}
